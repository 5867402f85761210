#include "protocol/feed/model/namespace_declarations.hpp"

#include <algorithm>

namespace sluice::feed {

std::size_t NamespaceDeclarations::around(std::size_t element) const {
    const auto behind = std::lower_bound(all_.begin(), all_.end(), element,
                                         [](const Declaration& each, std::size_t at) { return each.begin < at; });
    // Those that end before the element are nested: there are no more than can be in scope at one place.
    std::size_t i = static_cast<std::size_t>(behind - all_.begin()) - 1;
    while (i != none && all_[i].end <= element) i = all_[i].outer;
    return i;
}

const NamespaceDeclarations::Declaration* NamespaceDeclarations::find(std::size_t from, std::string_view prefix) const {
    for (std::size_t i = from; i != none; i = all_[i].outer) {
        if (all_[i].prefix == prefix) return &all_[i];
    }
    return nullptr;
}

}  // namespace sluice::feed
