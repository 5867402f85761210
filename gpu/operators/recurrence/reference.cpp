#include "gpu/operators/recurrence/reference.hpp"

#include <algorithm>
#include <cmath>

namespace sluice::recurrence {
namespace {

// Counts the runs of ones and of zeros in the cells given to it one after the other.
class Runs {
public:
    Runs(LineLengths& ones, LineLengths* zeros) : ones_(ones), zeros_(zeros) {}

    void cell(bool one) {
        if (length_ != 0 && one != one_) end();
        one_ = one;
        ++length_;
    }
    void end() {
        if (length_ != 0 && one_) ones_.add(length_);
        if (length_ != 0 && !one_ && zeros_) zeros_->add(length_);
        length_ = 0;
    }

private:
    LineLengths& ones_;
    LineLengths* zeros_;
    std::size_t length_ = 0;
    bool one_ = false;
};

}  // namespace

bool recurs(std::span<const double> series, std::size_t i, std::size_t j, double epsilon, const Embedding& embedding) {
    double distance = 0;
    for (std::size_t k = 0; k < embedding.dimension; ++k) {
        const double difference = std::abs(series[i + k * embedding.delay] - series[j + k * embedding.delay]);
        if (embedding.dimension == 1 || embedding.norm == Norm::maximum)
            distance = std::max(distance, difference);
        else if (embedding.norm == Norm::taxicab)
            distance += difference;
        else
            distance += difference * difference;
    }
    if (embedding.dimension > 1 && embedding.norm == Norm::euclidean) distance = std::sqrt(distance);
    return distance < epsilon;
}

Lines reference_lines(std::span<const double> series, double epsilon, const Embedding& embedding) {
    Lines lines;
    const std::size_t n = embedding.vectors(series.size());
    lines.vectors = n;
    for (std::size_t j = 0; j < n; ++j) {
        Runs vertical(lines.vertical, &lines.white_vertical);
        for (std::size_t i = 0; i < n; ++i) {
            const bool point = recurs(series, i, j, epsilon, embedding);
            lines.points += point;
            vertical.cell(point);
        }
        vertical.end();
    }
    for (std::size_t d = embedding.theiler; d < n; ++d) {
        for (const bool upper : {true, false}) {
            if (d == 0 && upper) continue;  // the main diagonal is there once
            Runs diagonal(lines.diagonal, nullptr);
            for (std::size_t i = 0; i + d < n; ++i)
                diagonal.cell(recurs(series, upper ? i : i + d, upper ? i + d : i, epsilon, embedding));
            diagonal.end();
        }
    }
    return lines;
}

}  // namespace sluice::recurrence
