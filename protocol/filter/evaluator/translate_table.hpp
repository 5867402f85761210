// The mapping of characters that translate() applies, built from its second and third argument. Immutable; any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <string_view>
#include <unordered_map>

#include "protocol/filter/evaluator/meter.hpp"

namespace sluice::xpath {

class TranslateTable {
public:
    TranslateTable(std::string_view from, std::string_view to, Meter& meter,
                   std::pmr::memory_resource* memory = std::pmr::new_delete_resource());

    static constexpr std::int32_t dropped = -1;
    static constexpr std::int32_t unchanged = -2;

    // The replacement character, or one of the above.
    std::int32_t operator()(char32_t c) const {
        if (c < ascii_.size()) return ascii_[c];
        const auto found = others_.find(c);
        return found == others_.end() ? unchanged : found->second;
    }

private:
    std::array<std::int32_t, 128> ascii_;
    std::pmr::unordered_map<char32_t, std::int32_t> others_;
};

}  // namespace sluice::xpath
