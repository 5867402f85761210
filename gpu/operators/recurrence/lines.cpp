#include "gpu/operators/recurrence/lines.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sluice::recurrence {
namespace {

double ratio(std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? std::numeric_limits<double>::quiet_NaN()
                      : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

void LineLengths::add(std::size_t length) {
    if (length >= count.size()) count.resize(length + 1);
    ++count[length];
}

std::uint64_t LineLengths::lines(std::size_t min) const {
    std::uint64_t sum = 0;
    for (std::size_t k = std::max<std::size_t>(min, 1); k < count.size(); ++k) sum += count[k];
    return sum;
}

std::uint64_t LineLengths::points(std::size_t min) const {
    std::uint64_t sum = 0;
    for (std::size_t k = std::max<std::size_t>(min, 1); k < count.size(); ++k) sum += k * count[k];
    return sum;
}

double LineLengths::share(std::size_t min) const { return ratio(points(min), points(1)); }
double LineLengths::mean(std::size_t min) const { return ratio(points(min), lines(min)); }

std::size_t LineLengths::longest() const {
    for (std::size_t k = count.size(); k > 1; --k) {
        if (count[k - 1] != 0) return k - 1;
    }
    return 0;
}

double LineLengths::entropy(std::size_t min) const {
    const std::uint64_t all = lines(min);
    double entropy = 0;
    for (std::size_t k = std::max<std::size_t>(min, 1); k < count.size(); ++k) {
        if (count[k] == 0) continue;
        const double p = ratio(count[k], all);
        entropy -= p * std::log(p);
    }
    return entropy + 0.0;  // not -0 where all lines are of one length
}

double Lines::recurrence_rate() const { return ratio(points, vectors * vectors); }

}  // namespace sluice::recurrence
