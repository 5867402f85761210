// Packs a node's kind and name into one number, so that a step's node test is one masked comparison. Plain values.
#pragma once

#include <cstdint>

namespace sluice::xpath {

enum class NodeKind : std::uint8_t { document, element, attribute, text, comment, processing_instruction };

using Label = std::uint32_t;  // the kind in the upper bits, the number of the name in the lower ones
inline constexpr Label kind_shift = 29;
inline constexpr std::uint32_t no_name = (Label{1} << kind_shift) - 1;

constexpr Label label_of(NodeKind kind, std::uint32_t name = no_name) {
    return static_cast<Label>(kind) << kind_shift | name;
}

struct LabelTest {
    Label mask = 0, wanted = 0;
    bool values = true;  // whether values of variables pass

    bool operator()(Label label) const { return (label & mask) == wanted; }
};

inline constexpr LabelTest any_node = {};
inline constexpr LabelTest any_parent = {Label{6} << kind_shift, 0, false};  // documents and elements

constexpr LabelTest any_of_kind(NodeKind kind) { return {~no_name, label_of(kind, 0), kind == NodeKind::text}; }

}  // namespace sluice::xpath
