// Reads bytes in one encoding, as the decoders of the WHATWG Encoding Standard do: they say which bytes are a fault,
// how many of them one U+FFFD replaces, and where reading goes on. Pure function; any thread. Linear time.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

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
void note_fault(Decoded& decoded, Decoded::Fault fault, bool is_cut_off);

enum class OnFault { stop, replace };

// `encoding`: one of encoding_by_label(). `OnFault::stop`: the text ends before the first fault.
Decoded decode(std::string_view bytes, std::string_view encoding, std::size_t bytes_max, OnFault on_fault);

}  // namespace sluice::feed
