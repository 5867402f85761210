#include "protocol/filter/case_folding.hpp"

#include <algorithm>
#include <iterator>

#include "protocol/filter/case_folding_table.hpp"
#include "protocol/text/utf8.hpp"

namespace sluice::filter {

namespace {

char32_t fold_code_point(char32_t c) {
    const auto run = std::lower_bound(std::begin(case_folding_runs), std::end(case_folding_runs), c,
                                      [](const CaseFoldingRun& r, char32_t value) { return r.last < value; });
    if (run == std::end(case_folding_runs) || c < run->first || (c - run->first) % run->step != 0) return c;
    return static_cast<char32_t>(static_cast<std::int32_t>(c) + run->delta);
}

}  // namespace

std::string fold_case(std::string_view utf8) {
    std::string folded;
    folded.reserve(utf8.size());
    for (std::size_t i = 0; i < utf8.size();) {
        const char byte = utf8[i];
        if (static_cast<unsigned char>(byte) < 0x80) {
            folded += byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte - 'A' + 'a') : byte;
            ++i;
            continue;
        }
        const auto [code, length] = text::utf8_at(utf8, i);
        if (length > 0)
            text::append_utf8(folded, fold_code_point(code));
        else
            folded += byte;
        i += std::max<std::size_t>(1, length);
    }
    return folded;
}

}  // namespace sluice::filter
