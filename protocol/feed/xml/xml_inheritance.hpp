// xml:base and xml:lang, which hold for all that is inside an element. Pure functions; any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/feed/model/tree.hpp"

namespace sluice::feed {

// What is longer counts as absent, as does what is behind inherited_attributes_max other attributes. So what holds for
// an element is soon found, although the elements around it may have megabytes.
inline constexpr std::size_t base_bytes_max = 2048;
inline constexpr std::size_t lang_bytes_max = 256;
inline constexpr std::size_t inherited_attributes_max = 256;
inline constexpr std::size_t bases_max = 8;

// What references in the element are relative to: the nearest xml:base of it and the elements around it, which may be
// relative to an outer one, and at last to `outermost`. Nothing if there are more bases than bases_max, or they have
// more than base_bytes_max together.
std::optional<std::string> xml_base_at(TreeNode element, std::string outermost);

// "": none.
std::string_view xml_lang_at(TreeNode element);

}  // namespace sluice::feed
