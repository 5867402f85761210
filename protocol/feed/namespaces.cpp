#include "protocol/feed/namespaces.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace sluice::feed {

namespace {

using Vocabulary = KnownNamespace::Vocabulary;

constexpr KnownNamespace known_namespaces[] = {
    {"http://www.w3.org/2005/Atom", "", Vocabulary::atom},
    {"http://purl.org/atom/ns#", "", Vocabulary::atom},
    {"http://purl.org/rss/1.0/", "", Vocabulary::rss},
    {"http://my.netscape.com/rdf/simple/0.9/", "", Vocabulary::rss},
    {"http://channel.netscape.com/rdf/simple/0.9/", "", Vocabulary::rss},
    {"http://www.w3.org/1999/02/22-rdf-syntax-ns#", "xmlns:rdf:", Vocabulary::rdf},
    {"http://purl.org/dc/elements/1.1/", "xmlns:dc:"},
    {"http://purl.org/dc/elements/1.0/", "xmlns:dc:"},
    {"http://purl.org/dc/terms/", "xmlns:dcterms:"},
    {"http://purl.org/rss/1.0/modules/content/", "xmlns:content:"},
    {"http://search.yahoo.com/mrss/", "xmlns:media:"},
    {"http://search.yahoo.com/mrss", "xmlns:media:"},
    {"http://www.itunes.com/dtds/podcast-1.0.dtd", "xmlns:itunes:"},
    {"http://www.itunes.com/DTDs/Podcast-1.0.dtd", "xmlns:itunes:"},
    {"http://www.itunes.com/DTDs/PodCast-1.0.dtd", "xmlns:itunes:"},
    {"http://www.georss.org/georss", "xmlns:georss:"},
    {"http://www.georss.org/georss/10", "xmlns:georss:"},
    {"http://www.w3.org/2003/01/geo/wgs84_pos#", "xmlns:geo:"},
    {"http://purl.org/rss/1.0/modules/slash/", "xmlns:slash:"},
    {"http://wellformedweb.org/CommentAPI/", "xmlns:wfw:"},
    {"http://wellformedweb.org/commentAPI/", "xmlns:wfw:"},
    {"http://purl.org/syndication/thread/1.0", "xmlns:thr:"},
    {"http://www.youtube.com/xml/schemas/2015", "xmlns:yt:"},
    {"http://gdata.youtube.com/schemas/2007", "xmlns:yt:"},
    {"http://www.w3.org/1999/xhtml", "xmlns:xhtml:"},
};

// What feeds mean by prefixes beside the customary ones.
constexpr std::pair<std::string_view, std::string_view> meant_prefixes[] = {
    {"atom", "http://www.w3.org/2005/Atom"},
    {"atom10", "http://www.w3.org/2005/Atom"},
    {"a10", "http://www.w3.org/2005/Atom"},
    {"rss", "http://purl.org/rss/1.0/"},
    {"sy", "http://purl.org/rss/1.0/modules/syndication/"},
    {"dcterms", "http://purl.org/dc/terms/"},
    {"feedburner", "http://rssnamespace.org/feedburner/ext/1.0"},
    {"podcast", "https://podcastindex.org/namespace/1.0"},
    {"googleplay", "http://www.google.com/schemas/play-podcasts/1.0"},
    {"creativeCommons", "http://backend.userland.com/creativeCommonsRssModule"},
    {"cc", "http://web.resource.org/cc/"},
    {"admin", "http://webns.net/mvcb/"},
    {"trackback", "http://madskills.com/public/xml/rss/module/trackback/"},
    {"opensearch", "http://a9.com/-/spec/opensearch/1.1/"},
    {"gml", "http://www.opengis.net/gml"},
    {"xsi", "http://www.w3.org/2001/XMLSchema-instance"},
    {"xlink", "http://www.w3.org/1999/xlink"},
};

}  // namespace

const KnownNamespace* find_known_namespace(std::string_view uri) {
    const auto* found = std::find_if(std::begin(known_namespaces), std::end(known_namespaces),
                                     [&](const KnownNamespace& known) { return known.uri == uri; });
    return found == std::end(known_namespaces) ? nullptr : found;
}

const KnownNamespace* find_customary_prefix(std::string_view prefix) {
    const auto is_it = [&](const KnownNamespace& known) {
        return known.prefix().size() == prefix.size() + 1 && known.prefix().starts_with(prefix);
    };
    const auto* found = std::find_if(std::begin(known_namespaces), std::end(known_namespaces), is_it);
    return found == std::end(known_namespaces) ? nullptr : found;
}

std::string namespace_of_undeclared(std::string_view prefix) {
    if (const KnownNamespace* known = find_customary_prefix(prefix)) return std::string(known->uri);
    for (const auto& [name, uri] : meant_prefixes) {
        if (name == prefix) return std::string(uri);
    }
    return "urn:sluice:undeclared-prefix:" + std::string(prefix);
}

NamespaceScopes::NamespaceScopes() { bindings_.push_back({"xml", xml_namespace, nullptr, 0}); }

const KnownNamespace* NamespaceScopes::declare(std::string_view prefix, std::string_view uri) {
    bindings_.push_back({prefix, uri, find_known_namespace(uri), default_});
    if (prefix.empty()) default_ = bindings_.size();
    return bindings_.back().known;
}

void NamespaceScopes::shrink(std::size_t size) {
    while (bindings_.size() > size) {
        if (bindings_.back().prefix.empty()) default_ = bindings_.back().outer_default;
        bindings_.pop_back();
    }
}

const NamespaceBinding* NamespaceScopes::find(std::string_view prefix) const {
    if (prefix.empty()) return default_ == 0 ? nullptr : &bindings_[default_ - 1];
    const auto found = std::find_if(bindings_.rbegin(), bindings_.rend(),
                                    [&](const NamespaceBinding& binding) { return binding.prefix == prefix; });
    return found == bindings_.rend() ? nullptr : &*found;
}

}  // namespace sluice::feed
