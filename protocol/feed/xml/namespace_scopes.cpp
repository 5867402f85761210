#include "protocol/feed/xml/namespace_scopes.hpp"

#include <algorithm>
#include <bitset>
#include <charconv>
#include <system_error>

namespace sluice::feed {

NamespaceScopes::NamespaceScopes() { declare("xml", xml_namespace, 0); }

const NamespaceBinding& NamespaceScopes::declare(std::string_view prefix, std::string_view uri, std::size_t tag) {
    bindings_.push_back({prefix, uri, find_known_namespace(uri), default_, tag, {}, false});
    if (prefix.empty()) default_ = bindings_.size();
    return bindings_.back();
}

void NamespaceScopes::shrink(std::size_t size) {
    while (bindings_.size() > size) {
        const NamespaceBinding& last = bindings_.back();
        if (last.prefix.empty()) default_ = last.outer_default;
        if (last.clashes) --clashes_;
        bindings_.pop_back();
    }
}

const NamespaceBinding* NamespaceScopes::find(std::string_view prefix) const {
    if (prefix.empty()) return default_ == 0 ? nullptr : &bindings_[default_ - 1];
    const auto found = std::find_if(bindings_.rbegin(), bindings_.rend(),
                                    [&](const NamespaceBinding& binding) { return binding.prefix == prefix; });
    return found == bindings_.rend() ? nullptr : &*found;
}

// Only known namespaces share prefixes.
void NamespaceScopes::replace(std::size_t i, std::string_view declaration) {
    NamespaceBinding& binding = bindings_[i];
    binding.new_declaration = declaration;
    if (!binding.known) return;
    binding.clashes = std::any_of(bindings_.begin(), bindings_.end(), [&](const NamespaceBinding& other) {
        return other.known && other.new_declaration == declaration && other.uri != binding.uri;
    });
    if (binding.clashes) ++clashes_;
}

bool NamespaceScopes::is_taken(std::string_view tree_prefix, std::string_view prefix) const {
    return std::any_of(bindings_.begin(), bindings_.end(), [&](const NamespaceBinding& binding) {
        return binding.tree_prefix() == tree_prefix && binding.prefix != prefix;
    });
}

// Each binding takes at most one number, so one of the first bindings_max is free.
std::size_t NamespaceScopes::free_number(std::string_view tree_prefix, std::string_view prefix) const {
    std::bitset<bindings_max + 3> taken;
    for (const NamespaceBinding& binding : bindings_) {
        const std::string_view other = binding.tree_prefix();
        if (binding.prefix == prefix || !other.starts_with(tree_prefix)) continue;
        const std::string_view digits = other.substr(tree_prefix.size());
        std::size_t number = 0;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
        if (error == std::errc() && end == digits.data() + digits.size() && number < taken.size()) taken.set(number);
    }
    std::size_t number = 2;
    while (taken.test(number)) ++number;
    return number;
}

// Innermost tag first; within a tag, the first declaration counts.
const std::string_view* NamespaceScopes::tree_uri(std::string_view tree_prefix) const {
    const auto is_it = [&](const NamespaceBinding& binding) { return binding.tree_prefix() == tree_prefix; };
    const auto innermost = std::find_if(bindings_.rbegin(), bindings_.rend(), is_it);
    if (innermost == bindings_.rend()) return nullptr;
    const auto tag = bindings_.begin() + static_cast<std::ptrdiff_t>(innermost->tag);
    return &std::find_if(tag, bindings_.end(), is_it)->uri;
}

}  // namespace sluice::feed
