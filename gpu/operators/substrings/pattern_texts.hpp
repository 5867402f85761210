// The location of patterns in memory that someone else owns and keeps: pattern p is bytes[begins[p] … ends[p]). A plain
// value, usable from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sluice::substrings {

struct PatternTexts {
    const char* bytes = nullptr;
    const std::size_t* begins = nullptr;
    const std::size_t* ends = nullptr;

    std::string_view operator[](std::uint32_t p) const { return {bytes + begins[p], ends[p] - begins[p]}; }
    // prefetch_bytes() reads what prefetch_place() has prefetched.
    void prefetch_place(std::uint32_t p) const {
        __builtin_prefetch(begins + p);
        __builtin_prefetch(ends + p);
    }
    void prefetch_bytes(std::uint32_t p) const { __builtin_prefetch(bytes + begins[p]); }
};

}  // namespace sluice::substrings
