// What a subscriber is told about an event besides which filters accept it. Plain values, which a protocol may write;
// any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sluice::broker {

// The best alignment of a condition, or the reason why it was not computed.
struct FoundAlignment {
    std::uint32_t filter = 0;  // the index of the condition's filter
    std::string leaf;          // the condition; the middle of a long one is elided
    std::string omitted;       // the reason; if not empty, nothing below is set
    std::size_t value = 0;     // the index among the attribute's values; of several that satisfy it, that of the best
    std::int32_t score = 0;
    // Letters from 0, without white space; the ends are exclusive.
    std::uint32_t query_begin = 0, query_end = 0, text_begin = 0, text_end = 0;
    std::string cigar;  // "12=1X3D"; empty: the alignment is, and has no positions
};

struct Annotations {
    std::optional<std::vector<FoundAlignment>> alignments;  // of the conditions that hold; none: not requested
    std::vector<std::string> estimated;                     // conditions decided by an estimate, elided like leaves

    std::size_t memory_bytes() const {
        std::size_t bytes = sizeof *this + estimated.capacity() * sizeof(std::string);
        for (const std::string& condition : estimated) bytes += text_bytes(condition);
        if (!alignments) return bytes;
        bytes += alignments->capacity() * sizeof(FoundAlignment);
        for (const FoundAlignment& found : *alignments)
            bytes += text_bytes(found.leaf) + text_bytes(found.omitted) + text_bytes(found.cigar);
        return bytes;
    }

private:
    // Short texts are kept in the string itself.
    static std::size_t text_bytes(const std::string& text) {
        static const std::size_t inside = std::string().capacity();
        return text.capacity() > inside ? text.capacity() + 1 : 0;
    }
};

}  // namespace sluice::broker
