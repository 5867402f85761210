// Where patterns stand in memory that somebody else owns and keeps: pattern p is bytes[begins[p] … ends[p]). A plain
// value; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sluice::exact {

struct PatternTexts {
    const char* bytes = nullptr;
    const std::size_t* begins = nullptr;
    const std::size_t* ends = nullptr;

    std::string_view operator[](std::uint32_t p) const { return {bytes + begins[p], ends[p] - begins[p]}; }
    // The second reads what the first has prefetched.
    void prefetch_place(std::uint32_t p) const {
        __builtin_prefetch(begins + p);
        __builtin_prefetch(ends + p);
    }
    void prefetch_bytes(std::uint32_t p) const { __builtin_prefetch(bytes + begins[p]); }
};

}  // namespace sluice::exact
