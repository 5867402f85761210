#include "protocol/filter/evaluator/translate_table.hpp"

#include <algorithm>

#include "protocol/text/utf8.hpp"

namespace sluice::xpath {

TranslateTable::TranslateTable(std::string_view from, std::string_view to, Meter& meter,
                               std::pmr::memory_resource* memory)
    : others_(memory) {
    ascii_.fill(unchanged);
    for (std::size_t i = 0, k = 0; i < from.size();) {
        meter.spend(steps_per_expression);
        const text::Utf8Char c = text::utf8_at(from, i);
        i += std::max<std::size_t>(1, c.length);
        std::int32_t with = dropped;
        if (k < to.size()) {
            const text::Utf8Char t = text::utf8_at(to, k);
            k += std::max<std::size_t>(1, t.length);
            with = static_cast<std::int32_t>(t.code);
        }
        if (c.code >= ascii_.size())
            others_.try_emplace(c.code, with);
        else if (ascii_[c.code] == unchanged)
            ascii_[c.code] = with;
    }
}

}  // namespace sluice::xpath
