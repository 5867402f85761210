// How much of a batch a device takes: its kernels number texts and records in 32 bits, and what they find is written to
// pinned memory. The CPU matches a batch beyond a limit; nothing is wrong with the device. Plain values.
#pragma once

#include <cstddef>
#include <stdexcept>

#include "gpu/cuda/event_records.hpp"

namespace sluice::cuda {

class BeyondLimit : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct BatchLimits {
    // Rows that a batch finds in a segment, 8 bytes each: 2 GiB.
    std::size_t rows_max = std::size_t{1} << 28;
    // Values, some of which count twice, and 8-byte words of text: less than 2 GiB, so that an offset in a text, and
    // the step after it, fits into 31 bits.
    std::size_t records_max = std::size_t{1} << 30, text_words_max = (std::size_t{1} << 28) - 1;

    // Both throw BeyondLimit.
    void check_packed(const PackedSize& bound) const {
        if (bound.records > records_max || bound.text_words > text_words_max)
            throw BeyondLimit("the batch is larger than a device takes");
    }
    void check_found(std::size_t rows) const {
        if (rows > rows_max) throw BeyondLimit("the batch finds more rows than there is memory for");
    }
};

}  // namespace sluice::cuda
