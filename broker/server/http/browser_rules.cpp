#include "broker/server/http/browser_rules.hpp"

#include <algorithm>
#include <boost/beast/core/string.hpp>

namespace sluice::server {

using boost::beast::iequals;

namespace {

constexpr std::string_view preflight_max_age = "600";  // seconds for which a browser may cache the answer

std::string_view field(const HeadFields& fields, std::string_view name) {
    const auto found = fields.find(name);
    return found == fields.end() ? std::string_view() : std::string_view(found->value());
}

// Empty if the port is not a number: "localhost:80@evil.example" is not localhost.
std::string_view without_port(std::string_view host) {
    const std::size_t bracket = host.rfind(']');
    const std::size_t colon = host.find(':', bracket == std::string_view::npos ? 0 : bracket);
    if (colon == std::string_view::npos) return host;
    const bool is_port = host.find_first_not_of("0123456789", colon + 1) == std::string_view::npos;
    return is_port ? host.substr(0, colon) : std::string_view();
}

std::string_view without_suffix(std::string_view text, std::string_view suffix) {
    return text.ends_with(suffix) ? text.substr(0, text.size() - suffix.size()) : text;
}

// Whether the page comes from the host that it sends its request to. Either may omit the scheme's default port.
bool is_same_origin(std::string_view origin, std::string_view host) {
    for (const auto& [scheme, port] :
         {std::pair<std::string_view, std::string_view>{"http://", ":80"}, {"https://", ":443"}}) {
        if (!origin.starts_with(scheme)) continue;
        return iequals(without_suffix(origin.substr(scheme.size()), port), without_suffix(host, port));
    }
    return false;
}

bool is_loopback_only(const config::HttpOptions& options) {
    const auto places = config::places_to_listen(options);
    return std::all_of(places.begin(), places.end(), [](const config::ListenerOptions& place) {
        return place.is_unix() || config::is_loopback_address(place.address);
    });
}

// Whether the page of another origin makes the request. With "same-site" it is another origin, too: that of another
// port or subdomain. "none" is the user's own doing, such as a typed address.
bool is_of_another_origin(std::string_view site) {
    return !site.empty() && !iequals(site, "same-origin") && !iequals(site, "none");
}

// Whether the user follows a link to a reply that the browser shows in place of the page, which can't read it. A
// subscription is not one: browsers save an event stream to a file, and the page stays and may open the next.
bool is_followed_link(http::verb method, const HeadFields& fields, std::string_view path) {
    return (method == http::verb::get || method == http::verb::head) && path != "/v1/events" &&
           iequals(field(fields, "Sec-Fetch-Mode"), "navigate") && iequals(field(fields, "Sec-Fetch-Dest"), "document");
}

}  // namespace

bool is_loopback_host(std::string_view host) {
    std::string_view name = without_port(host);
    if (name.starts_with('[') && name.ends_with(']')) name = name.substr(1, name.size() - 2);
    if (iequals(without_suffix(name, "."), "localhost")) return true;
    return config::is_loopback_address(std::string(name));
}

BrowserRules::BrowserRules(const config::HttpOptions& options)
    : listens_on_loopback_(is_loopback_only(options)), hosts_(options.hosts), origins_(options.allow_origins) {}

bool BrowserRules::is_known_host(std::string_view host) const {
    if (is_loopback_host(host)) return true;
    return std::any_of(hosts_.begin(), hosts_.end(), [&](std::string_view known) {
        return known == "*" || iequals(known, host) || iequals(known, without_port(host));
    });
}

bool BrowserRules::is_listed(std::string_view origin) const {
    return std::find(origins_.begin(), origins_.end(), origin) != origins_.end();
}

bool BrowserRules::is_allowed(std::string_view origin) const { return is_listed("*") || is_listed(origin); }

std::optional<HttpReply> BrowserRules::refuse(http::verb method, const HeadFields& fields, std::string_view host,
                                              std::string_view path, bool is_permitted) const {
    if (listens_on_loopback_ && !is_permitted && !host.empty() && !is_known_host(host)) {
        return status_reply(421, "the broker listens on a loopback address, and is not known as \"" +
                                     std::string(host) + "\"; add it to http.hosts to allow it");
    }
    const std::string_view origin = field(fields, "Origin");
    if (!origin.empty() && !is_same_origin(origin, host) && !is_allowed(origin)) {
        return status_reply(403, "pages of \"" + std::string(origin) +
                                     "\" may not use the broker; list the origin in http.allow_origins to allow it");
    }
    if (origin.empty() && is_of_another_origin(field(fields, "Sec-Fetch-Site")) &&
        !is_followed_link(method, fields, path) && !is_allowed("*")) {
        return status_reply(403,
                            "a page of another origin makes this request, and the browser does not say which; use "
                            "fetch() or EventSource, and list the origin in http.allow_origins to allow it");
    }
    return std::nullopt;
}

void BrowserRules::permit(const HeadFields& fields, HttpReply& reply) const {
    if (origins_.empty()) return;
    reply.headers.emplace_back("Vary", "Origin");
    const std::string_view origin = field(fields, "Origin");
    if (origin.empty() || !is_allowed(origin)) return;
    reply.headers.emplace_back("Access-Control-Allow-Origin", origin);
    if (origin != "*" && is_listed(origin)) reply.headers.emplace_back("Access-Control-Allow-Credentials", "true");
    reply.headers.emplace_back("Access-Control-Expose-Headers", "Allow, ETag, Location, Retry-After, WWW-Authenticate");
}

void BrowserRules::permit_methods(const HeadFields& fields, HttpReply& reply) const {
    const std::string_view origin = field(fields, "Origin");
    if (origin.empty() || !is_allowed(origin) || field(fields, "Access-Control-Request-Method").empty()) return;
    for (const auto& [name, value] : reply.headers) {
        if (name != "Allow") continue;
        const std::string allow = value;
        reply.headers.emplace_back("Access-Control-Allow-Methods", allow);
        break;
    }
    reply.headers.emplace_back("Access-Control-Allow-Headers",
                               "Authorization, Content-Type, Content-Encoding, Cache-Control, Idempotency-Key, "
                               "If-Match, If-None-Match, Last-Event-ID");
    reply.headers.emplace_back("Access-Control-Max-Age", preflight_max_age);
    // Browsers ask this before a page of a public site may reach into a private network.
    if (iequals(field(fields, "Access-Control-Request-Private-Network"), "true"))
        reply.headers.emplace_back("Access-Control-Allow-Private-Network", "true");
}

}  // namespace sluice::server
