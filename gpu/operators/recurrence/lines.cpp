#include "gpu/operators/recurrence/lines.hpp"

#include <algorithm>
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

std::uint64_t LineLengths::points(std::size_t min) const {
    std::uint64_t sum = 0;
    for (std::size_t k = std::max<std::size_t>(min, 1); k < count.size(); ++k) sum += k * count[k];
    return sum;
}

double LineLengths::share(std::size_t min) const { return ratio(points(min), points(1)); }

double Lines::recurrence_rate() const { return ratio(points, vectors * vectors); }

}  // namespace sluice::recurrence
