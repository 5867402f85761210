// Records of one item each, for code that stores or sends events one by one. A record has the item's bytes as
// published, inside the start tags of its ancestors, so that namespaces, xml:lang and the ancestors' attributes are
// preserved. Siblings of the item and of its ancestors are not kept. Filters that look at them
// (protocol/filter/siblings.hpp) need the whole document. Pure function; any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "protocol/feed/model/document.hpp"
#include "protocol/feed/model/record.hpp"

namespace sluice::feed {

struct ItemRecord {
    DocumentRecord document;
    SourceRange item;  // in the record's text: EventHead::item of its event
};

// One record for each of `items`, which are ascending indices into document.items(). `whole` is the document's own
// record. The results are copies of it except for text, event path (of XML that is no feed), context and feed fields.
// What is kept:
//   XML   <rss version="2.0"><channel><item>…</item></channel></rss>
//         preceded by the document type declaration, if that declares entities
//   JSON Feed  {"items":[{…}]}; other JSON and batches of CloudEvents: [{…}]
//   CSV   the header line and the row; NDJSON, FASTA, FASTQ and a single CloudEvent: the item alone
// Nothing if the texts together would exceed `bytes_max` bytes. Nested events or long start tags can make them many
// times longer than the document. Nothing either for the items of an <rss> inside other XML that stand beside its
// <channel>: without the channel it is not recognised as a feed; nor for XML whose references are relative to the
// feed's own address. The caller then keeps the whole document.
std::optional<std::vector<ItemRecord>> record_items(const Document& document, const DocumentRecord& whole,
                                                    std::span<const std::size_t> items, std::size_t bytes_max);

}  // namespace sluice::feed
