#include "protocol/filter/evaluator/comparison.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>

namespace sluice::xpath {

namespace {

using Kind = filter::Expression::Kind;

}  // namespace

bool compare_numbers(Kind comparison, double a, double b) {
    switch (comparison) {
        case Kind::equal:
            return a == b;
        case Kind::not_equal:
            return a != b;
        case Kind::less:
            return a < b;
        case Kind::less_equal:
            return a <= b;
        case Kind::greater:
            return a > b;
        default:
            return a >= b;
    }
}

Kind mirrored(Kind comparison) {
    switch (comparison) {
        case Kind::less:
            return Kind::greater;
        case Kind::less_equal:
            return Kind::greater_equal;
        case Kind::greater:
            return Kind::less;
        case Kind::greater_equal:
            return Kind::less_equal;
        default:
            return comparison;
    }
}

TextSet::TextSet(std::size_t texts_max, std::pmr::memory_resource* memory)
    : places_(std::bit_ceil(2 * texts_max + 1), memory), texts_(memory) {
    texts_.reserve(texts_max);
}

std::uint64_t TextSet::hash_of(std::string_view text, Meter& meter) {
    meter.spend(steps_per_hash + text.size() / bytes_per_step);
    return std::hash<std::string_view>{}(text);
}

std::size_t TextSet::find(std::uint64_t hash, std::string_view text, Meter& meter) const {
    const std::size_t mask = places_.size() - 1;
    std::size_t at = hash & mask;
    for (; places_[at].text != 0; at = (at + 1) & mask) {
        meter.spend(1);
        if (places_[at].hash != hash >> 32) continue;
        const std::string_view other = texts_[places_[at].text - 1];
        if (other.size() != text.size()) continue;
        meter.read(text.size());
        if (other == text) break;
    }
    return at;
}

void TextSet::add(std::string_view text, Meter& meter) {
    const std::uint64_t hash = hash_of(text, meter);
    Place& place = places_[find(hash, text, meter)];
    if (place.text != 0) return;
    texts_.push_back(text);
    place = {static_cast<std::uint32_t>(hash >> 32), static_cast<std::uint32_t>(texts_.size())};
}

bool TextSet::contains(std::string_view text, Meter& meter) const {
    return places_[find(hash_of(text, meter), text, meter)].text != 0;
}

void NumberRange::add(double number) {
    if (std::isnan(number)) return;
    any = true;
    least = std::min(least, number);
    greatest = std::max(greatest, number);
}

bool NumberRange::compares(Kind comparison, const NumberRange& other) const {
    if (!any || !other.any) return false;
    const bool less = comparison == Kind::less || comparison == Kind::less_equal;
    return less ? compare_numbers(comparison, least, other.greatest)
                : compare_numbers(comparison, greatest, other.least);
}

bool Variety::add(std::string_view other, Meter& meter) {
    meter.read(std::min(text.size(), other.size()));
    if (!any) text = other;
    several = several || text != other;
    any = true;
    return several;
}

bool Variety::differs_from(const Variety& other, Meter& meter) const {
    if (!any || !other.any) return false;
    meter.read(std::min(text.size(), other.text.size()));
    return several || other.several || text != other.text;
}

}  // namespace sluice::xpath
