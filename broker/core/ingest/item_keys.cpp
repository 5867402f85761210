#include "broker/core/ingest/item_keys.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>

#include "protocol/feed/item/identity.hpp"

namespace sluice::broker {

namespace {

using text::Digest;

Digest identity_by_content(const ItemKey& key) {
    const std::array<Digest, 2> both{key.identity, key.content};
    return text::digest({reinterpret_cast<const char*>(both.data()), sizeof both});
}

// The first item with the identity of each.
std::vector<std::uint32_t> first_with_identity(const std::vector<PublishedKey>& items) {
    constexpr std::uint32_t none = ~std::uint32_t{0};
    std::vector<std::uint32_t> first(items.size());
    std::vector<std::uint32_t> slots(std::bit_ceil(2 * items.size()), none);  // an open-addressing hash table
    for (std::uint32_t i = 0; i < items.size(); ++i) {
        const Digest& identity = items[i].key.identity;
        std::size_t at = text::DigestHash()(identity) & (slots.size() - 1);
        while (slots[at] != none && items[slots[at]].key.identity != identity) at = (at + 1) & (slots.size() - 1);
        if (slots[at] == none) slots[at] = i;
        first[i] = slots[at];
    }
    return first;
}

// If items with the same identity differ in content, gives each of them an identity that includes its content.
void tell_apart(std::vector<PublishedKey>& items) {
    if (items.size() < 2) return;
    const std::vector<std::uint32_t> first = first_with_identity(items);
    std::vector<bool> differs(items.size());
    for (std::size_t i = 0; i < items.size(); ++i)
        if (items[i].key.content != items[first[i]].key.content) differs[first[i]] = true;
    for (std::size_t i = 0; i < items.size(); ++i) {
        PublishedKey& item = items[i];
        if (item.is_unique() || !differs[first[i]]) continue;
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
