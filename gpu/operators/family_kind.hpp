// The families of operators, and which measure (gpu/api/predicate.hpp) belongs to which. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "gpu/api/predicate.hpp"

namespace sluice::operators {

// Which operators share a family, in the order in which a batch asks them: cheap ones first, since pairs that they
// decide need not be passed to the others.
enum class OperatorFamilyKind : std::uint8_t { regex, edits, recurrence, alignment };
constexpr std::size_t operator_families = 4;

constexpr OperatorFamilyKind family_of(engine::Measure::Kind kind) {
    switch (kind) {
        case engine::Measure::Kind::matches:
            return OperatorFamilyKind::regex;
        case engine::Measure::Kind::approx_distance:
        case engine::Measure::Kind::edit_distance:
            return OperatorFamilyKind::edits;
        case engine::Measure::Kind::align:
        case engine::Measure::Kind::align_global:
            return OperatorFamilyKind::alignment;
        default:
            return OperatorFamilyKind::recurrence;
    }
}

// As in status and metrics.
constexpr std::string_view name_of(OperatorFamilyKind family) {
    switch (family) {
        case OperatorFamilyKind::regex:
            return "regex";
        case OperatorFamilyKind::edits:
            return "edits";
        case OperatorFamilyKind::recurrence:
            return "recurrence";
        case OperatorFamilyKind::alignment:
            return "alignment";
    }
    return {};
}

}  // namespace sluice::operators
