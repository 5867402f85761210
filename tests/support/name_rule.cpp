#include "tests/support/name_rule.hpp"

#include <algorithm>
#include <cctype>
#include <map>

namespace sluice::testing {

namespace {

std::string lower_case(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
}

// By URI: in lower case, without scheme and end.
const std::map<std::string, std::string> prefixes = {
    {"www.w3.org/2005/atom", "atom"},
    {"purl.org/atom/ns", "atom"},
    {"purl.org/rss/1.0", "rss"},
    {"my.netscape.com/rdf/simple/0.9", "rss"},
    {"channel.netscape.com/rdf/simple/0.9", "rss"},
    {"backend.userland.com/rss2", "rss"},
    {"www.w3.org/1999/02/22-rdf-syntax-ns", "rdf"},
    {"purl.org/dc/elements/1.1", "dc"},
    {"purl.org/dc/elements/1.0", "dc"},
    {"purl.org/dc/terms", "dcterms"},
    {"purl.org/rss/1.0/modules/content", "content"},
    {"search.yahoo.com/mrss", "media"},
    {"www.itunes.com/dtds/podcast-1.0.dtd", "itunes"},
    {"www.georss.org/georss", "georss"},
    {"www.w3.org/2003/01/geo/wgs84_pos", "geo"},
    {"purl.org/rss/1.0/modules/slash", "slash"},
    {"wellformedweb.org/commentapi", "wfw"},
    {"purl.org/syndication/thread/1.0", "thr"},
    {"www.youtube.com/xml/schemas/2015", "yt"},
    {"www.w3.org/1999/xhtml", "xhtml"},
};

// "": none.
std::string customary(const std::string& uri) {
    std::string key = lower_case(uri);
    key.erase(0, std::min(key.find_first_not_of(' '), key.size()));
    key.erase(key.find_last_not_of(" /#") + 1);
    for (const std::string scheme : {"https://", "http://"}) {
        if (key.starts_with(scheme)) {
            key.erase(0, scheme.size());
            break;
        }
    }
    const auto found = prefixes.find(key);
    return found == prefixes.end() ? "" : found->second;
}

bool is_customary(const std::string& prefix) {
    return std::any_of(prefixes.begin(), prefixes.end(), [&](const auto& each) { return each.second == prefix; });
}

bool is_feeds(const std::string& prefix) { return prefix == "atom" || prefix == "rss"; }

}  // namespace

std::string NameRule::undeclared_uri(const std::string& prefix) {
    static const std::map<std::string, std::string> uris = {
        {"atom", "http://www.w3.org/2005/Atom"},
        {"content", "http://purl.org/rss/1.0/modules/content/"},
        {"dc", "http://purl.org/dc/elements/1.1/"},
        {"dcterms", "http://purl.org/dc/terms/"},
        {"geo", "http://www.w3.org/2003/01/geo/wgs84_pos#"},
        {"georss", "http://www.georss.org/georss"},
        {"itunes", "http://www.itunes.com/dtds/podcast-1.0.dtd"},
        {"media", "http://search.yahoo.com/mrss/"},
        {"rdf", "http://www.w3.org/1999/02/22-rdf-syntax-ns#"},
        {"rss", "http://purl.org/rss/1.0/"},
        {"slash", "http://purl.org/rss/1.0/modules/slash/"},
        {"thr", "http://purl.org/syndication/thread/1.0"},
        {"wfw", "http://wellformedweb.org/CommentAPI/"},
        {"xhtml", "http://www.w3.org/1999/xhtml"},
        {"yt", "http://www.youtube.com/xml/schemas/2015"},
    };
    const auto found = uris.find(prefix);
    return found == uris.end() ? "" : found->second;
}

bool NameRule::is_taken(const std::string& in_tree, const std::string& prefix) const {
    return std::any_of(bindings_.begin(), bindings_.end(),
                       [&](const Binding& b) { return b.in_tree == in_tree && b.prefix != prefix; });
}

void NameRule::declare(const std::vector<Declaration>& declarations) {
    const std::size_t first = bindings_.size();
    for (const Declaration& d : declarations) bindings_.push_back({d.prefix, d.uri, d.prefix});
    for (std::size_t i = first; i < bindings_.size(); ++i) {
        const std::string prefix = bindings_[i].prefix;
        if (prefix.empty() || !customary(bindings_[i].uri).empty()) continue;
        std::string in_tree = is_customary(prefix) ? prefix + '_' : prefix;
        if (is_taken(in_tree, prefix)) in_tree = prefix + '_';
        for (int number = 2; is_taken(in_tree, prefix); ++number) in_tree = prefix + '_' + std::to_string(number);
        bindings_[i].in_tree = in_tree;
    }
}

// "": no feed begins with this element.
std::string NameRule::plain_in(const std::string& prefix, const std::string& local, const std::string& uri) const {
    const bool is_root = sizes_.size() == 1;
    const std::string name = lower_case(local), own = customary(uri);
    const bool is_atom = name == "feed" || (is_root && name == "entry");
    const bool is_rss = name == "rss" || name == "rdf" || (is_root && name == "item");
    if (!is_atom && !is_rss) return "";
    if (!is_root && name == "rdf" && own != "rdf") return "";
    if (!is_root && name != "rdf" && !is_feeds(own) && !(own.empty() && prefix.empty())) return "";
    const auto outer =
        std::find_if(bindings_.rbegin(), bindings_.rend(), [](const Binding& b) { return b.prefix.empty(); });
    const std::string unprefixed = outer == bindings_.rend() ? "" : customary(outer->uri);
    return is_feeds(own) ? own : is_feeds(unprefixed) ? unprefixed : is_atom ? "atom" : "rss";
}

void NameRule::enter(const std::string& prefix, const std::string& local, const std::string& uri,
                     const std::vector<Declaration>& declarations) {
    sizes_.push_back(bindings_.size());
    declare(declarations);
    if (!plain_.empty()) return;
    plain_ = plain_in(prefix, local, uri);
    feed_depth_ = sizes_.size();
}

void NameRule::leave() {
    if (feed_depth_ == sizes_.size()) plain_.clear();
    bindings_.resize(sizes_.back());
    sizes_.pop_back();
}

std::string NameRule::prefix_of(const std::string& written, const std::string& uri, bool is_attribute) const {
    if (is_attribute && written.empty()) return "";
    const std::string known = customary(uri);
    if (!known.empty()) return known == plain_ && !is_attribute ? "" : known;
    const auto found =
        std::find_if(bindings_.rbegin(), bindings_.rend(), [&](const Binding& b) { return b.prefix == written; });
    return found == bindings_.rend() ? written : found->in_tree;
}

}  // namespace sluice::testing
