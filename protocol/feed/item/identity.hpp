// Decides whether a published item is the same item when its feed is posted again. Immutable; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "protocol/feed/model/document.hpp"
#include "protocol/feed/model/ignored_parts.hpp"

namespace sluice::feed {

enum class Sameness : std::uint8_t {
    by_id,        // an item with the same id is the same item; another content is an update
    by_id_alone,  // the same, but whatever its content is, it is unchanged
    by_content,   // an item with the same content is the same item
    never,        // every item is another one
};

struct ItemIdentity {
    Sameness sameness = Sameness::by_content;
    std::string id;  // of the first two
};

// Identifies the items of one document.
//
// Items of feeds: their guid, atom:id, rdf:about or JSON Feed id; without one, their link; without either, the content.
// An address among these stands alone, without the query parameters that are ignored, in the form in which addresses
// are compared (text::comparable_uri), and http is https. Anything else stands within its feed: that is known by its
// link, else its id, the address it is published at, or its title; an address among these is compared likewise.
//
// CloudEvents: source and id, which never change their content (CloudEvents 1.0 §3.1.1). Other documents have no known
// identifying element, so there it is the value at `id_path`; without one, the content of XML, and never for JSON, CSV,
// FASTA and FASTQ: two equal readings of a sensor are two events. `id_path` is a path to an element or attribute below
// the item (sensor/id, @id); empty: none.
//
// The document and the id path must outlive it.
class ItemIdentities {
public:
    explicit ItemIdentities(const Document& document, std::string_view id_path = {}, IgnoredParts ignored = {});

    ItemIdentity of(const Item& item) const;

private:
    ItemIdentity in_feed(const Item& item) const;

    const Document& document_;
    std::string_view id_path_;
    IgnoredParts ignored_;
    std::string feed_;  // what tells the feed from others: begins an id within it
};

}  // namespace sluice::feed
