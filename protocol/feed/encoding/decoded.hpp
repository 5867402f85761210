// What a decoder has read of some bytes. Plain values.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace sluice::feed {

struct Decoded {
    struct Fault {
        std::size_t offset = 0;  // of its first byte
        std::size_t at = 0;      // its place in `text`
    };

    std::string text;                // with U+FFFD for each fault
    std::size_t characters = 0;      // those beyond ASCII, without the faults
    std::size_t faults = 0;          // all of them
    std::size_t cut_off_faults = 0;  // those that the end of the bytes causes, inside a character
    std::optional<Fault> first_fault;
    bool is_too_large = false;    // reading stopped, since `text` is longer than it may be
    bool is_unavailable = false;  // iconv lacks a charset that is needed; nothing was read
};

// Counts a fault; the caller appends what stands for it.
inline void note_fault(Decoded& decoded, Decoded::Fault fault, bool is_cut_off) {
    if (!decoded.first_fault) decoded.first_fault = fault;
    ++decoded.faults;
    decoded.cut_off_faults += is_cut_off ? 1 : 0;
}

enum class OnFault { stop, replace };

}  // namespace sluice::feed
