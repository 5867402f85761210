// XML namespaces: those whose elements and attributes get a customary prefix whatever prefix the feed uses, and the
// declarations in scope while a document is scanned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::feed {

// A namespace that the broker knows. Static data.
struct KnownNamespace {
    enum class Vocabulary : std::uint8_t { atom, rss, rdf, other };

    std::string_view uri;
    std::string_view declaration;  // "xmlns:dc:"; empty: its elements have no prefix
    Vocabulary vocabulary = Vocabulary::other;

    // "dc:", to precede a local name; "" for vocabularies without a prefix.
    std::string_view prefix() const { return declaration.empty() ? declaration : declaration.substr(6); }
    // "xmlns:dc", or "".
    std::string_view attribute() const {
        return declaration.substr(0, declaration.empty() ? 0 : declaration.size() - 1);
    }
};

const KnownNamespace* find_known_namespace(std::string_view uri);
// The namespace with this customary prefix, such as "dc". Real feeds use such prefixes without declaring them.
const KnownNamespace* find_customary_prefix(std::string_view prefix);

// What feeds mean by a prefix that they use without declaring it; else a namespace of nobody's, one for each prefix.
std::string namespace_of_undeclared(std::string_view prefix);

inline constexpr std::string_view xml_namespace = "http://www.w3.org/XML/1998/namespace";
inline constexpr std::string_view xmlns_namespace = "http://www.w3.org/2000/xmlns/";

// A prefix (empty: the default namespace) and its URI (empty: no namespace).
struct NamespaceBinding {
    std::string_view prefix;
    std::string_view uri;
    const KnownNamespace* known = nullptr;
    std::size_t outer_default = 0;  // 1 + index of the default binding that this one hides; 0: none
};

// The bindings in scope, innermost last. The viewed texts must outlive it.
class NamespaceScopes {
public:
    static constexpr std::size_t bindings_max = 256;

    NamespaceScopes();
    std::size_t size() const { return bindings_.size(); }
    // Gives the namespace if it is a known one, else null.
    const KnownNamespace* declare(std::string_view prefix, std::string_view uri);
    void shrink(std::size_t size);  // ends the scopes of the bindings from this index on
    // The innermost binding of the prefix; null if it is not declared. Valid until the next declare().
    const NamespaceBinding* find(std::string_view prefix) const;

private:
    std::vector<NamespaceBinding> bindings_;
    std::size_t default_ = 0;  // 1 + index; 0: none
};

}  // namespace sluice::feed
