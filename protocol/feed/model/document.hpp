// A parsed document: its tree, and its events with their exact source. Immutable once made; any thread may read it.
// Formats: RSS 0.91/0.92/2.0, RSS 1.0 (RDF), Atom 0.3/1.0 (feeds and single entries), JSON Feed 1.0/1.1 and any other
// XML; records that are no feed: any JSON, NDJSON, CloudEvents 1.0, CSV, FASTA and FASTQ.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/feed/model/content_digest.hpp"
#include "protocol/feed/model/dead_letter.hpp"
#include "protocol/feed/model/document_syntax.hpp"
#include "protocol/feed/model/feed_error.hpp"
#include "protocol/feed/model/media_type.hpp"
#include "protocol/feed/model/repairs.hpp"
#include "protocol/feed/model/tree.hpp"
#include "protocol/text/trace_context.hpp"

namespace sluice::feed {

enum class FeedFormat : std::uint8_t {
    rss,
    rdf,
    atom,
    json,         // JSON Feed
    xml,          // other XML
    cloud_event,  // CloudEvents
    data,         // other JSON, CSV, FASTA and FASTQ
};

struct FeedLimits {
    std::size_t document_bytes_max = 16u << 20;
    std::size_t depth_max = 256;
    std::size_t items_max = 10'000;
    std::size_t item_values_max = 10'000;  // elements, attributes, comments, CDATA sections … of one item
    std::size_t values_max = 1'000'000;    // of the whole document: bounds the memory of its tree
};

struct DocumentOptions {
    MediaType content_type;  // the HTTP request's; empty: inferred from the bytes
    // XPath of the event elements of generic XML. Empty: the root's child elements, or the root itself if it has text
    // or attributes but no child elements.
    std::string event_path;
    FeedLimits limits;
    RepairMode repair = RepairMode::strict;
    std::optional<DigestOptions> digests = std::nullopt;  // of the items; empty: none are taken
    text::TraceContext trace = {};                        // of the request that published it
};

// Budget for evaluating an event path (protocol/filter/evaluator/meter.hpp).
inline constexpr std::uint64_t event_path_steps_max = 200'000'000;
inline constexpr std::size_t event_path_bytes_max = 64u << 20;

// One event's element in Document::tree(), and its bytes in the document as published (converted to UTF-8 if it came in
// another encoding).
struct Item {
    TreeNode element;
    std::string_view source;
    text::Digest content{};  // of what it says; zero: not taken
};

// A name in the tree whose namespace the tree's declarations do not say: that of an element, which are counted in
// document order from 0, or of the element's attribute with this number, where declarations count and the first one
// is 1.
struct UndeclaredName {
    std::uint32_t element = 0;
    std::uint32_t attribute = 0;  // 0: the element itself
    std::string_view uri;
};

// What would have been an event, but is refused; its neighbours are events all the same.
struct ItemRefusal {
    std::size_t index = 0;  // among all events of the document, those that are refused included; 0-based
    FeedError error;
};

inline constexpr std::size_t refusals_max = 20;

struct Refusals {
    std::size_t count = 0;
    std::vector<ItemRefusal> first;  // at most refusals_max
};
// Further authors of a feed are not read, nor more bytes of them together: they may be those of every item.
inline constexpr std::size_t feed_authors_max = 64;
inline constexpr std::size_t feed_authors_bytes_max = 2048;
// Texts of the feed itself; absent if the feed has none.
struct FeedFields {
    std::optional<std::string> title, link;  // the link as it is written
    std::vector<std::string> authors;        // default for items that name no author
    // What relative references are relative to, beside xml:base; empty: nothing. Not kept in records.
    std::string base = {};
};

// A column of CSV by its published name, without white space around it. Columns may share a name.
struct Column {
    std::string name;
    std::size_t first = 0;  // the first column with this name
    std::size_t next = 0;   // the next one; 0: none
};

struct SourceContext;

class Document {
public:
    virtual ~Document() = default;

    virtual FeedFormat format() const = 0;
    virtual Syntax syntax() const { return Syntax::xml; }
    // The tree that filters are evaluated on: known namespaces have their customary prefixes, HTML entities are
    // resolved. Names are in the namespaces that its declarations say, except for undeclared_names(). What is not XML
    // is <feed>, with an <item> for each event.
    virtual const Tree& tree() const = 0;
    // XML whose tree that is, in which the only references are XML's; empty: there is none.
    virtual std::string_view xml() const { return {}; }
    virtual std::span<const UndeclaredName> undeclared_names() const { return {}; }  // in document order
    virtual std::span<const Item> items() const = 0;                                 // likewise
    // The text before the items that each of them depends on: the header line of CSV with its line end.
    virtual std::string_view head() const { return {}; }
    // Of CSV: an item has an element for each, in this order.
    virtual std::span<const Column> columns() const { return {}; }
    // Items of what is not XML, and those of all feeds but the first inside other XML.
    virtual const Refusals& refusals() const {
        static const Refusals none;
        return none;
    }
    // The element with the feed's own title and link: <channel>, <feed>, the root of other XML.
    virtual TreeNode feed() const = 0;
    virtual const FeedFields& feed_fields() const = 0;
    // The document as published (and repaired), in UTF-8, with its byte order mark if it had one; never null.
    // Item::source points into it, so a holder of this pointer keeps the text alive without a copy.
    virtual const std::shared_ptr<const std::string>& text() const = 0;
    // The declarations that the items' sources depend on. Empty for what is not XML.
    virtual const SourceContext& source_context() const;
    // What was wrong with the published document: text() and the sources are those of the repaired one, which is
    // well-formed. Empty: nothing.
    virtual const Repairs& repairs() const;
    // That of the request which published the document; empty: none. trace_of() gives that of an event.
    virtual const text::TraceContext& trace() const;
    // What its event was before it became a dead letter; null: it is none.
    virtual const DeadLetterPtr& dead_letter() const;
    // Memory of the tree and the source; 0: unknown.
    virtual std::size_t memory_bytes() const { return 0; }
};

using DocumentPtr = std::shared_ptr<const Document>;

}  // namespace sluice::feed
