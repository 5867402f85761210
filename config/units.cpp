#include "config/units.hpp"

#include <array>
#include <charconv>
#include <limits>

namespace sluice::config {

namespace {

struct Unit {
    std::string_view name;
    std::uint64_t factor;
};

constexpr std::array<Unit, 6> time_units{{{"us", 1},
                                          {"ms", 1'000},
                                          {"s", 1'000'000},
                                          {"min", 60'000'000},
                                          {"h", 3'600'000'000},
                                          {"d", 24 * std::uint64_t{3'600'000'000}}}};
constexpr std::array<Unit, 4> size_units{{{"B", 1}, {"KiB", 1u << 10}, {"MiB", 1u << 20}, {"GiB", 1u << 30}}};

template <std::size_t n>
std::optional<std::uint64_t> parse(std::string_view text, const std::array<Unit, n>& units) {
    const std::size_t digits = text.find_first_not_of("0123456789");
    if (digits == std::string_view::npos) return std::nullopt;
    const auto number = parse_integer(text.substr(0, digits));
    if (!number) return std::nullopt;
    for (const Unit& unit : units) {
        if (text.substr(digits) != unit.name) continue;
        constexpr auto max = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
        if (*number > max / unit.factor) return std::nullopt;
        return *number * unit.factor;
    }
    return std::nullopt;
}

template <std::size_t n>
std::string write(std::uint64_t number, const std::array<Unit, n>& units) {
    const Unit* best = &units.front();
    for (const Unit& unit : units) {
        if (number != 0 && number % unit.factor == 0) best = &unit;
    }
    return std::to_string(number / best->factor) + std::string(best->name);
}

}  // namespace

std::optional<std::uint64_t> parse_integer(std::string_view text) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return number;
}

std::optional<std::chrono::microseconds> parse_duration(std::string_view text) {
    const auto number = parse(text, time_units);
    if (!number) return std::nullopt;
    return std::chrono::microseconds(*number);
}

std::optional<std::size_t> parse_size(std::string_view text) {
    if (const auto bytes = parse_integer(text)) return *bytes;
    return parse(text, size_units);
}

std::string duration_text(std::chrono::microseconds duration) {
    return write(static_cast<std::uint64_t>(duration.count()), time_units);
}

std::string size_text(std::size_t bytes) { return write(bytes, size_units); }

}  // namespace sluice::config
