// Reads what GET /metrics sends: OpenMetrics 1.0 in the form in which brokers write it, with a type for each family,
// and samples without timestamps and exemplars. Pure function; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::cli {

struct ExposedSample {
    std::string name;  // with the suffix of its type, such as _total
    std::vector<std::pair<std::string, std::string>> labels;
    double value = 0;

    std::string_view label(std::string_view of) const;  // "": it has none of this name
};

struct Exposition {
    static constexpr std::size_t bytes_max = 16u << 20, line_bytes_max = 64u << 10, samples_max = 100'000,
                                 labels_max = 16;

    std::vector<ExposedSample> samples;  // each name with its labels once
    std::string error;                   // empty: none
    std::size_t error_line = 0;          // from 1
};

// After an error, `samples` has those before it.
Exposition read_exposition(std::string_view text);

}  // namespace sluice::cli
