#include "gpu/operators/recurrence/reference.hpp"

#include <cmath>

namespace sluice::recurrence {
namespace {

// Counts the runs of ones in a sequence of cells.
class Runs {
public:
    explicit Runs(LineLengths& ones) : ones_(ones) {}

    void cell(bool one) {
        if (one) {
            ++length_;
        } else {
            end();
        }
    }
    void end() {
        if (length_ != 0) ones_.add(length_);
        length_ = 0;
    }

private:
    LineLengths& ones_;
    std::size_t length_ = 0;
};

}  // namespace

Lines reference_lines(std::span<const double> series, double epsilon, std::size_t theiler) {
    const auto recurs = [&](std::size_t i, std::size_t j) { return std::abs(series[i] - series[j]) < epsilon; };
    Lines lines;
    const std::size_t n = series.size();
    lines.vectors = n;
    for (std::size_t j = 0; j < n; ++j) {
        Runs vertical(lines.vertical);
        for (std::size_t i = 0; i < n; ++i) {
            const bool point = recurs(i, j);
            lines.points += point;
            vertical.cell(point);
        }
        vertical.end();
    }
    for (std::size_t d = theiler; d < n; ++d) {
        for (const bool upper : {true, false}) {
            if (d == 0 && upper) continue;  // count the main diagonal only once
            Runs diagonal(lines.diagonal);
            for (std::size_t i = 0; i + d < n; ++i) diagonal.cell(recurs(upper ? i : i + d, upper ? i + d : i));
            diagonal.end();
        }
    }
    return lines;
}

}  // namespace sluice::recurrence
