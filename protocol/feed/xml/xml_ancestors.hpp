// Finds the start tags around elements of well-formed text in one pass, which stops at the last wanted element and
// skips the insides of known elements that are not wanted. Pure function; any thread.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace sluice::feed {

struct XmlAncestor {
    std::string_view name;
    std::string_view tag;  // from '<' to '>', both included
};

// The context of an element; views point into the text.
struct XmlSurroundings {
    std::string_view doctype;                // "<!DOCTYPE …>" if it declares entities, else empty
    std::span<const XmlAncestor> ancestors;  // the root first
};

// Calls visit(surroundings, i) for each elements[wanted[i]]. `elements` are views of whole elements in `text`, in
// document order, and may be nested; `wanted` is ascending. The span of ancestors is valid only during the call, but
// the texts remain valid.
void visit_ancestors(const std::string& text, std::span<const std::string_view> elements,
                     std::span<const std::size_t> wanted,
                     const std::function<void(const XmlSurroundings&, std::size_t)>& visit);

}  // namespace sluice::feed
