// Summaries of node-sets for comparisons of whole sets, each made in one pass: the strings for `=`, whether they differ
// for `!=`, the least and the greatest number for `<`. Views point into the document or the variables. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory_resource>
#include <string_view>
#include <vector>

#include "protocol/filter/evaluator/meter.hpp"
#include "protocol/filter/syntax/syntax_tree.hpp"

namespace sluice::xpath {

bool compare_numbers(filter::Expression::Kind comparison, double a, double b);
filter::Expression::Kind mirrored(filter::Expression::Kind comparison);  // for swapped operands

class TextSet {
public:
    TextSet(std::size_t texts_max, std::pmr::memory_resource* memory);

    void add(std::string_view text, Meter& meter);
    bool contains(std::string_view text, Meter& meter) const;

private:
    struct Place {
        std::uint32_t hash = 0;  // the upper half of the hash
        std::uint32_t text = 0;  // index from 1; 0: empty
    };

    // The place of the text, or the free place for it.
    std::size_t find(std::uint64_t hash, std::string_view text, Meter& meter) const;
    static std::uint64_t hash_of(std::string_view text, Meter& meter);

    std::pmr::vector<Place> places_;  // their number is a power of two
    std::pmr::vector<std::string_view> texts_;
};

// The range of a set's numbers, without NaN.
struct NumberRange {
    double least = std::numeric_limits<double>::infinity();
    double greatest = -std::numeric_limits<double>::infinity();
    bool any = false;

    void add(double number);
    // Whether the comparison holds for some number of this range and some number of the other.
    bool compares(filter::Expression::Kind comparison, const NumberRange& other) const;
};

// No text, one text, or texts that differ.
struct Variety {
    bool any = false, several = false;
    std::string_view text;

    bool add(std::string_view other, Meter& meter);  // true: the result can't change any more
    bool differs_from(const Variety& other, Meter& meter) const;
};

}  // namespace sluice::xpath
