#include "protocol/feed/model/namespaces.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <utility>

#include "protocol/text/ascii.hpp"

namespace sluice::feed {

namespace {

using Vocabulary = KnownNamespace::Vocabulary;

// By prefix; the first namespace of a prefix is the one that an undeclared prefix means. The variants are those that
// feedparser and SimplePie know.
constexpr KnownNamespace known_namespaces[] = {
    {"http://www.w3.org/2005/Atom", "xmlns:atom:", Vocabulary::atom},
    {"http://purl.org/atom/ns#", "xmlns:atom:", Vocabulary::atom},
    {"http://purl.org/rss/1.0/", "xmlns:rss:", Vocabulary::rss},
    {"http://my.netscape.com/rdf/simple/0.9/", "xmlns:rss:", Vocabulary::rss},
    {"http://channel.netscape.com/rdf/simple/0.9/", "xmlns:rss:", Vocabulary::rss},
    {"http://purl.org/net/rss1.1#", "xmlns:rss:", Vocabulary::rss},
    {"http://purl.org/rss/1.0/modules/rss091#", "xmlns:rss:", Vocabulary::rss},
    {"http://backend.userland.com/rss", "xmlns:rss:", Vocabulary::rss},
    {"http://backend.userland.com/rss2", "xmlns:rss:", Vocabulary::rss},
    {"http://blogs.law.harvard.edu/tech/rss", "xmlns:rss:", Vocabulary::rss},
    {"http://www.w3.org/1999/02/22-rdf-syntax-ns#", "xmlns:rdf:", Vocabulary::rdf},
    {"http://purl.org/dc/elements/1.1/", "xmlns:dc:"},
    {"http://purl.org/dc/elements/1.0/", "xmlns:dc:"},
    {"http://purl.org/dc/terms/", "xmlns:dcterms:"},
    {"http://purl.org/rss/1.0/modules/content/", "xmlns:content:"},
    {"http://search.yahoo.com/mrss/", "xmlns:media:"},
    {"http://video.search.yahoo.com/mrss/", "xmlns:media:"},
    {"http://www.rssboard.org/media-rss", "xmlns:media:"},
    {"http://www.itunes.com/dtds/podcast-1.0.dtd", "xmlns:itunes:"},
    {"http://example.com/dtds/podcast-1.0.dtd", "xmlns:itunes:"},
    {"http://www.georss.org/georss", "xmlns:georss:"},
    {"http://www.georss.org/georss/10", "xmlns:georss:"},
    {"http://www.w3.org/2003/01/geo/wgs84_pos#", "xmlns:geo:"},
    {"http://purl.org/rss/1.0/modules/slash/", "xmlns:slash:"},
    {"http://wellformedweb.org/CommentAPI/", "xmlns:wfw:"},
    {"http://purl.org/syndication/thread/1.0", "xmlns:thr:"},
    {"http://purl.org/rss/1.0/modules/threading/", "xmlns:thr:"},
    {"http://www.youtube.com/xml/schemas/2015", "xmlns:yt:"},
    {"http://gdata.youtube.com/schemas/2007", "xmlns:yt:"},
    {"http://www.w3.org/1999/xhtml", "xmlns:xhtml:"},
};
constexpr std::size_t known_count = std::size(known_namespaces);

constexpr bool is_same_but_for_case(std::string_view a, std::string_view b) {
    return a == b || std::equal(a.begin(), a.end(), b.begin(), b.end(),
                                [](char x, char y) { return text::ascii_lower(x) == text::ascii_lower(y); });
}

// What counts of a URI, apart from the case of its letters.
constexpr std::string_view essence(std::string_view uri) {
    const auto is_ignored = [](char c) { return c == '/' || c == '#' || c == ' '; };
    while (!uri.empty() && uri.front() == ' ') uri.remove_prefix(1);
    while (!uri.empty() && is_ignored(uri.back())) uri.remove_suffix(1);
    for (const std::string_view scheme : {"http://", "https://"}) {
        if (uri.size() >= scheme.size() && is_same_but_for_case(uri.substr(0, scheme.size()), scheme))
            return uri.substr(scheme.size());
    }
    return uri;
}

// Length first: it tells nearly all namespaces apart.
constexpr std::size_t essence_bytes_max = 48;
struct ByLength {
    std::array<std::string_view, known_count> essences{};
    std::array<std::uint8_t, known_count> which{};
    std::array<std::uint8_t, essence_bytes_max + 2> begin{};  // of those that long
};
constexpr ByLength by_length = [] {
    ByLength lists;
    std::size_t count = 0;
    for (std::size_t length = 0; length <= essence_bytes_max; ++length) {
        lists.begin[length] = static_cast<std::uint8_t>(count);
        for (std::size_t i = 0; i < known_count; ++i) {
            const std::string_view known = essence(known_namespaces[i].uri);
            if (known.size() != length) continue;
            lists.essences[count] = known;
            lists.which[count++] = static_cast<std::uint8_t>(i);
        }
    }
    lists.begin[essence_bytes_max + 1] = static_cast<std::uint8_t>(count);
    return lists;
}();
static_assert(by_length.begin.back() == known_count, "essence_bytes_max is too small");

// One namespace for each customary prefix.
struct Customary {
    std::array<std::uint8_t, known_count> which{};
    std::size_t count = 0;
    std::size_t bytes_max = 0;
};
constexpr Customary customary = [] {
    Customary list;
    for (std::size_t i = 0; i < known_count; ++i) {
        const std::string_view prefix = known_namespaces[i].prefix();
        if (i > 0 && known_namespaces[i - 1].prefix() == prefix) continue;
        list.which[list.count++] = static_cast<std::uint8_t>(i);
        list.bytes_max = std::max(list.bytes_max, prefix.size() - 1);
    }
    return list;
}();

// What feeds mean by prefixes beside the customary ones.
constexpr std::pair<std::string_view, std::string_view> meant_prefixes[] = {
    {"atom10", "http://www.w3.org/2005/Atom"},
    {"a10", "http://www.w3.org/2005/Atom"},
    {"sy", "http://purl.org/rss/1.0/modules/syndication/"},
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
    const std::string_view wanted = essence(uri);
    if (wanted.size() > essence_bytes_max) return nullptr;
    for (std::size_t i = by_length.begin[wanted.size()]; i < by_length.begin[wanted.size() + 1]; ++i) {
        if (is_same_but_for_case(by_length.essences[i], wanted)) return &known_namespaces[by_length.which[i]];
    }
    return nullptr;
}

const KnownNamespace* find_customary_prefix(std::string_view prefix) {
    if (prefix.empty() || prefix.size() > customary.bytes_max) return nullptr;
    for (std::size_t i = 0; i < customary.count; ++i) {
        const KnownNamespace& known = known_namespaces[customary.which[i]];
        const std::string_view name = known.prefix();
        if (name.size() == prefix.size() + 1 && name.front() == prefix.front() && name.starts_with(prefix))
            return &known;
    }
    return nullptr;
}

std::string namespace_of_undeclared(std::string_view prefix) {
    if (const KnownNamespace* known = find_customary_prefix(prefix)) return std::string(known->uri);
    for (const auto& [name, uri] : meant_prefixes) {
        if (name == prefix) return std::string(uri);
    }
    return "urn:sluice:undeclared-prefix:" + std::string(prefix);
}

}  // namespace sluice::feed
