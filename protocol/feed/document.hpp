// A published document, parsed: its tree, and its events with their exact source. Immutable once made; any thread may
// read it. Formats: RSS 0.91/0.92/2.0, RSS 1.0 (RDF), Atom 0.3/1.0 (feeds and single entries), JSON Feed 1.0/1.1 and
// any other XML.
#pragma once

#include <boost/system/result.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <pugixml.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/feed/feed_error.hpp"

namespace sluice {

// How the tree is parsed: text and CDATA sections are both kept (as separate text nodes), references and line ends are
// resolved as XML 1.0 says, white space in attribute values becomes blanks. Text of white space only, comments and
// processing instructions are left out.
inline constexpr unsigned feed_parse_flags =
    pugi::parse_cdata | pugi::parse_escapes | pugi::parse_eol | pugi::parse_wconv_attribute;

enum class FeedFormat : std::uint8_t { rss, rdf, atom, json, xml };

struct FeedLimits {
    std::size_t document_bytes_max = 16u << 20;
    std::size_t depth_max = 256;
    std::size_t items_max = 10'000;
    std::size_t item_values_max = 10'000;  // elements and attributes of one item
    std::size_t values_max = 1'000'000;    // of the whole document: what bounds the memory that its tree takes
};

struct DocumentOptions {
    std::string content_type;  // of the HTTP request, with its charset parameter; empty: find out from the bytes
    // XPath of the event elements of generic XML. Empty: the child elements of the root, or the root itself if it has
    // text or attributes but no child elements.
    std::string event_path;
    FeedLimits limits;
};

// One event's element in Document::tree(), and its bytes in the document as it was published (after conversion to
// UTF-8 where it came in another encoding).
struct Item {
    pugi::xml_node element;
    std::string_view source;
};

// Texts of the feed itself, absent where it has none.
struct FeedFields {
    std::optional<std::string> title, link;
    std::optional<std::string> author;  // of its items that name none
};

class Document {
public:
    virtual ~Document() = default;

    virtual FeedFormat format() const = 0;
    // The tree that filters are evaluated on: prefixes of known namespaces are the customary ones, HTML entities are
    // resolved. A JSON Feed is <feed> with a child per key; each of its items is an <item>.
    virtual const pugi::xml_document& tree() const = 0;
    virtual std::span<const Item> items() const = 0;  // in document order
    // The element with the feed's own title and link: <channel>, <feed>, the root of other XML.
    virtual pugi::xml_node feed() const = 0;
    virtual const FeedFields& feed_fields() const = 0;
};

using DocumentPtr = std::shared_ptr<const Document>;

// Parses all of it or nothing: a document that is not well-formed, or over a limit, gives an error that says where.
boost::system::result<DocumentPtr, FeedError> parse_document(std::string bytes, const DocumentOptions& options);

}  // namespace sluice
