#include <algorithm>

#include "gpu/operators/edits/cuda/device_groups.hpp"
#include "gpu/operators/edits/cuda/myers_words.hpp"
#include "gpu/operators/edits/match_table.hpp"

namespace sluice::edits {

namespace {

constexpr std::uint32_t bound_max = std::uint32_t{1} << 30;  // kernels compare signed numbers

}  // namespace

GroupsOnDevice::GroupsOnDevice(std::uint32_t words, std::span<const std::span<const std::uint32_t>> patterns,
                               std::span<const std::uint32_t> k, std::uint32_t symbols, Extent extent)
    : words_(words), symbols_(symbols) {
    const bool direct = myers_table_in_shared(words, symbols);
    const std::size_t row = std::size_t{words} * lanes, slots = (patterns.size() + lanes - 1) / lanes * lanes;
    std::vector<std::uint32_t> table, length(slots, 0), bound(slots, 0);
    std::vector<std::uint64_t> begin;
    std::vector<std::uint16_t> row_of;
    for (std::size_t first = 0; first < patterns.size(); first += lanes) {
        const auto group = patterns.subspan(first, std::min<std::size_t>(lanes, patterns.size() - first));
        const MatchTable<std::uint32_t> match(group, lanes, words, symbols, extent == Extent::substring);
        begin.push_back(table.size());
        if (direct) {
            for (const std::uint32_t at : match.row_of)
                table.insert(table.end(), match.table.begin() + at, match.table.begin() + at + row);
        } else {
            table.insert(table.end(), match.table.begin(), match.table.end());
            for (const std::uint32_t at : match.row_of) row_of.push_back(static_cast<std::uint16_t>(at / row));
        }
    }
    for (std::size_t i = 0; i < patterns.size(); ++i) {
        length[i] = static_cast<std::uint32_t>(patterns[i].size());
        bound[i] = std::min(k[i], bound_max);
    }
    table_ = cuda::to_device(std::span<const std::uint32_t>(table));
    length_ = cuda::to_device(std::span<const std::uint32_t>(length));
    bound_ = cuda::to_device(std::span<const std::uint32_t>(bound));
    std::ranges::fill(bound, 0);
    no_bound_ = cuda::to_device(std::span<const std::uint32_t>(bound));
    begin_ = cuda::to_device(std::span<const std::uint64_t>(begin));
    row_of_ = cuda::to_device(std::span<const std::uint16_t>(row_of));
}

DeviceGroups GroupsOnDevice::view(bool decide) const {
    return {words_,        slots() / lanes, symbols_,       table_.data(),
            begin_.data(), row_of_.data(),  length_.data(), decide ? bound_.data() : no_bound_.data()};
}

}  // namespace sluice::edits
