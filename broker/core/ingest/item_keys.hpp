// The keys by which a document's items are remembered, to distinguish new and changed items from those posted before.
// Pure functions; any thread.
#pragma once

#include <string>
#include <vector>

#include "broker/core/ingest/deduplicator.hpp"
#include "protocol/feed/model/document.hpp"
#include "protocol/feed/model/ignored_parts.hpp"

namespace sluice::broker {

struct PublishedKey {
    ItemKey key;
    text::Digest shared{};  // the identity shared by different items of the document; zero: none

    bool is_unique() const { return key.identity == text::Digest{}; }  // never the same as another item
};

// One key for each item, by feed::ItemIdentities; none if all items are unique. If different items of the document
// share an identity, the content decides. `id_path` is the stream's. The document was parsed with digest_options().
std::vector<PublishedKey> item_keys(const feed::Document& document, const feed::IgnoredParts& ignored,
                                    const std::string& id_path = {});

// What the keys need to know of the items' content.
feed::DigestOptions digest_options(const feed::IgnoredParts& ignored, const std::string& id_path);

// The item's other possible identity. If it shares its identity with different items here, it may not have done so in
// an earlier document, and vice versa.
text::Digest other_identity(const PublishedKey& item);

}  // namespace sluice::broker
