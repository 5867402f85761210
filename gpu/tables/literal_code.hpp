// A literal of one segment in 32 bits: family, index within the family's table, sign. Plain values; any thread.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sluice {

// The families whose truth is a bit that an event's values set come first; of not_equal and number_not_equal the bit
// says the opposite's core, "all values are the operand", since that is true of few operands where `!=` is of most.
enum class Family : std::uint8_t {
    exists,
    equal,
    number_equal,
    contains,
    starts_with,
    ends_with,
    not_equal,
    number_not_equal,
    range,     // decided from the event's least and greatest number when asked for
    scanned,   // decided by EventBatch::scan when asked for
    measured,  // decided by an operator (OperatorTable), for the events of a batch that nothing else has decided
};
constexpr std::size_t families = 11;
constexpr std::size_t bit_families = 8;

// Bit 0: negated; bits 1–4: family; bits 5–30: index; bit 31 is free for whoever stores codes.
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

}  // namespace sluice
