#include "broker/core/ingest/item_keys.hpp"

#include <array>
#include <string>
#include <unordered_map>

#include "protocol/feed/item/identity.hpp"

namespace sluice::broker {

namespace {

using text::Digest;

struct Shared {
    Digest content;  // of the first item with this identity
    bool differs = false;
};

Digest identity_by_content(const ItemKey& key) {
    const std::array<Digest, 2> both{key.identity, key.content};
    return text::digest({reinterpret_cast<const char*>(both.data()), sizeof both});
}

// If items with the same identity differ in content, gives each of them an identity that includes its content.
void tell_apart(std::vector<PublishedKey>& items) {
    if (items.size() < 2) return;
    std::unordered_map<Digest, Shared, text::DigestHash> by_identity;
    by_identity.reserve(items.size());
    bool any_differs = false;
    for (const PublishedKey& item : items) {
        if (item.is_unique()) continue;
        const ItemKey& key = item.key;
        const auto [entry, is_first] = by_identity.try_emplace(key.identity, Shared{key.content});
        if (is_first || entry->second.content == key.content) continue;
        entry->second.differs = any_differs = true;
    }
    if (!any_differs) return;
    for (PublishedKey& item : items) {
        if (item.is_unique() || !by_identity.at(item.key.identity).differs) continue;
        item.shared = item.key.identity;
        item.key.identity = identity_by_content(item.key);
    }
}

}  // namespace

Digest other_identity(const PublishedKey& item) {
    return item.shared == Digest{} ? identity_by_content(item.key) : item.shared;
}

// Without an identity, data is always new.
feed::DigestOptions digest_options(const feed::IgnoredParts& ignored, const std::string& id_path) {
    return {ignored, !id_path.empty()};
}

std::vector<PublishedKey> item_keys(const feed::Document& document, const feed::IgnoredParts& ignored,
                                    const std::string& id_path) {
    std::vector<PublishedKey> keys;
    keys.reserve(document.items().size());
    bool any_known = false;
    const feed::ItemIdentities identities(document, id_path, ignored);
    for (const feed::Item& item : document.items()) {
        const feed::ItemIdentity identity = identities.of(item);
        ItemKey key{};
        any_known = any_known || identity.sameness != feed::Sameness::never;
        if (identity.sameness == feed::Sameness::by_id || identity.sameness == feed::Sameness::by_content)
            key.identity = key.content = item.content;
        if (identity.sameness == feed::Sameness::by_id) key.identity = text::digest(identity.id);
        if (identity.sameness == feed::Sameness::by_id_alone) key.identity = key.content = text::digest(identity.id);
        keys.push_back({key, {}});
    }
    if (!any_known) return {};
    tell_apart(keys);
    return keys;
}

}  // namespace sluice::broker
