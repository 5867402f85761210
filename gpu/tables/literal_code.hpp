// A literal of one segment in 32 bits: family, index within the family's table, sign. Plain values; any thread.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sluice::engine {

// The bit families come first: an event's values set a bit for each of their predicates that holds. For not_equal and
// number_not_equal the bit stands for the core of the opposite, "all values are the operand", which is true for few
// operands where `!=` is true for most.
enum class Family : std::uint8_t {
    exists,
    equal,
    number_equal,
    contains,
    starts_with,
    ends_with,
    not_equal,
    number_not_equal,
    range,     // decided on request from the event's least and greatest number
    scanned,   // decided on request by EventBatch::scan
    measured,  // decided by an operator (OperatorTable), for events that nothing else has decided
};
constexpr std::size_t families = 11;
constexpr std::size_t bit_families = 8;

// Bit 0: negated; bits 1–4: family; bits 5–30: index; bit 31 is free for use by containers.
class LiteralCode {
public:
    static constexpr std::uint32_t index_max = (1u << 26) - 1;

    constexpr LiteralCode(Family family, std::uint32_t index, bool negated = false)
        : bits_(index << 5 | static_cast<std::uint32_t>(family) << 1 | (negated ? 1u : 0u)) {}
    constexpr explicit LiteralCode(std::uint32_t bits) : bits_(bits & 0x7fffffffu) {}

    constexpr std::uint32_t bits() const { return bits_; }
    constexpr Family family() const { return static_cast<Family>(bits_ >> 1 & 15); }
    constexpr std::uint32_t index() const { return bits_ >> 5; }
    constexpr bool negated() const { return (bits_ & 1) != 0; }
    constexpr LiteralCode positive() const { return LiteralCode(bits_ & ~1u); }
    constexpr bool is_bit() const { return family() < Family::range; }
    constexpr bool is_not_equal() const {
        return family() == Family::not_equal || family() == Family::number_not_equal;
    }

    friend constexpr bool operator==(LiteralCode, LiteralCode) = default;

private:
    std::uint32_t bits_;
};

constexpr bool is_scanned(std::uint32_t code) { return LiteralCode(code).family() == Family::scanned; }
constexpr bool is_measured(std::uint32_t code) { return LiteralCode(code).family() == Family::measured; }

}  // namespace sluice::engine
