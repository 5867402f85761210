#include "gpu/tables/number_table.hpp"

#include <bit>

namespace sluice::engine {

std::uint64_t NumberTable::hash(std::uint32_t attribute, double number) {
    return mix(std::bit_cast<std::uint64_t>(number + 0.0) ^ (attribute * 0x9e3779b97f4a7c15u));
}

std::uint32_t NumberTable::find(std::uint32_t attribute, double number) const {
    return index_.find(hash(attribute, number), [&](std::uint32_t i) {
        return entries_[i].attribute == attribute && entries_[i].number == number;
    });
}

std::uint32_t NumberTable::intern(std::uint32_t attribute, double number) {
    if (const std::uint32_t known = find(attribute, number); known != none) return known;
    index_.make_room([this](std::uint32_t i) { return hash(entries_[i].attribute, entries_[i].number); });
    const std::uint32_t index = size();
    entries_.push_back({number, attribute});
    index_.insert(hash(attribute, number), index);
    return index;
}

}  // namespace sluice::engine
