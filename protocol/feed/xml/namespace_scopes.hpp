// The namespace declarations in scope while a document is scanned: what its prefixes mean, and what the tree has
// instead of them. Belongs to one scanner.
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <string_view>

#include "protocol/feed/model/namespaces.hpp"

namespace sluice::feed {

// A prefix (empty: the default namespace) and its URI (empty: no namespace).
struct NamespaceBinding {
    std::string_view prefix;
    std::string_view uri;
    const KnownNamespace* known = nullptr;
    std::size_t outer_default = 0;     // 1 + index of the default binding that this one hides; 0: none
    std::size_t tag = 0;               // index of the first binding of the same start tag
    std::string_view new_declaration;  // "xmlns:dc:" where the tree has another prefix; else empty
    bool clashes = false;              // the tree has its prefix for another URI, too

    // In the tree, without a colon.
    std::string_view tree_prefix() const {
        return new_declaration.empty() ? prefix : new_declaration.substr(6, new_declaration.size() - 7);
    }
};

// Innermost binding last. The viewed texts must outlive it.
class NamespaceScopes {
public:
    static constexpr std::size_t bindings_max = 256;

    NamespaceScopes();
    std::size_t size() const { return bindings_.size(); }
    // `tag` is the size() before the first declaration of the start tag.
    const NamespaceBinding& declare(std::string_view prefix, std::string_view uri, std::size_t tag);
    void shrink(std::size_t size);  // ends the scopes of the bindings from this index on
    const NamespaceBinding& operator[](std::size_t i) const { return bindings_[i]; }
    // The innermost binding of the prefix; null if it is not declared. Valid until the next declare().
    const NamespaceBinding* find(std::string_view prefix) const;

    // The tree gets another declaration in place of the binding's.
    void replace(std::size_t i, std::string_view declaration);
    // Whether the tree has the prefix for another one than `prefix`.
    bool is_taken(std::string_view tree_prefix, std::string_view prefix) const;
    // The least number from 2 on behind `tree_prefix` that makes a prefix that is not taken.
    std::size_t free_number(std::string_view tree_prefix, std::string_view prefix) const;
    // What the tree's declarations say of a prefix without colon; null: nothing.
    const std::string_view* tree_uri(std::string_view tree_prefix) const;
    // Whether some prefix stands for two URIs in the tree.
    bool has_clashes() const { return clashes_ > 0; }

private:
    boost::container::small_vector<NamespaceBinding, 6> bindings_;
    std::size_t default_ = 0;  // 1 + index; 0: none
    std::size_t clashes_ = 0;
};

}  // namespace sluice::feed
