#include "protocol/feed/xml/plain_vocabulary.hpp"

#include <cstddef>

#include "protocol/feed/xml/feed_root.hpp"

namespace sluice::feed {

namespace {

using Vocabulary = KnownNamespace::Vocabulary;

constexpr std::size_t longest_root = 4;  // "feed"

bool is_feed_vocabulary(const KnownNamespace* known) {
    return known && (known->vocabulary == Vocabulary::atom || known->vocabulary == Vocabulary::rss);
}

}  // namespace

// A root may have any prefix. An item alone is a feed, too.
std::optional<Vocabulary> plain_vocabulary(const QName& name, bool is_root, const KnownNamespace* own,
                                           const KnownNamespace* unprefixed) {
    if (is_root && is_same_name(name.local, "channel") && own && own->vocabulary == Vocabulary::rss)
        return Vocabulary::rss;  // RSS 1.1
    if (!is_root && name.local.size() > longest_root) return std::nullopt;
    const std::string_view kind = feed_root_kind(name.local);
    const bool is_entry = is_root && is_same_name(name.local, "entry");
    const bool is_item = is_root && is_same_name(name.local, "item");
    if (kind.empty() && !is_entry && !is_item) return std::nullopt;
    const bool is_rdf = own && own->vocabulary == Vocabulary::rdf;
    const bool is_foreign = own ? !is_rdf && !is_feed_vocabulary(own) : !name.prefix.empty();
    if (!is_root && (is_foreign || is_rdf != (kind == "rdf"))) return std::nullopt;
    // RSS whose names are, by mistake, in Atom's namespace is not rare.
    for (const KnownNamespace* known : {own, unprefixed}) {
        if (is_feed_vocabulary(known)) return known->vocabulary;
    }
    return kind == "feed" || is_entry ? Vocabulary::atom : Vocabulary::rss;
}

}  // namespace sluice::feed
