// The XML namespaces whose names get a customary prefix in the tree, whatever prefix the feed uses. Static data; any
// thread.
#pragma once

#include <cstdint>
#include <string_view>

namespace sluice::feed {

struct KnownNamespace {
    enum class Vocabulary : std::uint8_t { atom, rss, rdf, other };

    std::string_view uri;
    std::string_view declaration;  // "xmlns:dc:"
    Vocabulary vocabulary = Vocabulary::other;

    // "dc:", to precede a local name.
    constexpr std::string_view prefix() const { return declaration.substr(6); }
    // "xmlns:dc".
    constexpr std::string_view attribute() const { return declaration.substr(0, declaration.size() - 1); }
};

// Null for other namespaces. Feeds get URIs wrong, so the case of letters does not matter, nor do http or https, a '/'
// or '#' at the end, and white space around it.
const KnownNamespace* find_known_namespace(std::string_view uri);
// The namespace with this customary prefix, such as "dc". Real feeds use such prefixes without declaring them.
const KnownNamespace* find_customary_prefix(std::string_view prefix);

// What feeds mean by a prefix that they use without declaring it; else a namespace of nobody's, one for each prefix.
std::string namespace_of_undeclared(std::string_view prefix);

inline constexpr std::string_view xml_namespace = "http://www.w3.org/XML/1998/namespace";
inline constexpr std::string_view xmlns_namespace = "http://www.w3.org/2000/xmlns/";

}  // namespace sluice::feed
