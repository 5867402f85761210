// A document's tree as pugixml's, for what asks questions that only scanning a tree answers. Made where it is asked
// for: most documents are never asked.
#pragma once

#include <cstddef>
#include <memory>
#include <pugixml.hpp>
#include <string_view>

#include "protocol/feed/model/document.hpp"

namespace sluice::feed {

// The tree is parsed with these flags. It holds everything that XPath can see of a document. Text and CDATA sections
// are separate nodes; code that counts text nodes joins them. References and line ends are resolved as XML 1.0
// requires. White space in attribute values becomes spaces.
inline constexpr unsigned feed_parse_flags = pugi::parse_cdata | pugi::parse_ws_pcdata | pugi::parse_comments |
                                             pugi::parse_pi | pugi::parse_escapes | pugi::parse_eol |
                                             pugi::parse_wconv_attribute;

// Belongs to one thread.
class PugiTree {
public:
    // Parses Document::xml(), or else copies Document::tree(). Its nodes are those of that tree, in the same order.
    // Throws std::bad_alloc.
    explicit PugiTree(const Document& document);
    // Copies the tree.
    explicit PugiTree(const Tree& tree);

    const pugi::xml_document& document() const { return *document_; }
    std::size_t bytes() const { return bytes_; }

    static std::size_t made();  // by this thread

private:
    PugiTree(const Tree& tree, std::string_view xml);

    std::unique_ptr<pugi::xml_document> document_;  // stays where it is
    std::size_t bytes_ = 0;
};

}  // namespace sluice::feed
