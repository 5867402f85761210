#include "broker/server/http/request_client.hpp"

#include <boost/beast/core/string.hpp>
#include <string_view>

#include "broker/server/http/forwarded.hpp"

namespace sluice::server {

namespace {

using boost::beast::iequals;

// X-Forwarded-For, -Host, -Proto, -Port, -Server …
bool is_forwarding_name(std::string_view name) {
    constexpr std::string_view prefix = "X-Forwarded";
    return iequals(name.substr(0, prefix.size()), prefix) || iequals(name, "X-Real-IP");
}

// Returns whether there is a field of this name.
bool go_back(const HeadFields& head, std::string_view name, ForwardedSyntax syntax, ForwardedWalk& walk) {
    bool is_there = false;
    for (auto field = head.end(); field != head.begin();) {
        --field;
        if (!iequals(field->name_string(), name)) continue;
        is_there = true;
        walk.go_back(field->value(), syntax);
    }
    return is_there;
}

}  // namespace

boost::asio::ip::address forwarded_client(const HeadFields& head, const TrustedProxies& trusted,
                                          const boost::asio::ip::address& peer) {
    ForwardedWalk walk(trusted, peer);
    if (!go_back(head, "X-Forwarded-For", ForwardedSyntax::addresses, walk))
        go_back(head, "Forwarded", ForwardedSyntax::elements, walk);
    return walk.client();
}

bool is_forwarded(const HeadFields& head) {
    for (const auto& field : head) {
        switch (field.name()) {
            case http::field::forwarded:
            case http::field::via:
                return true;
            case http::field::unknown:
                if (is_forwarding_name(field.name_string())) return true;
                break;
            default:
                break;
        }
    }
    return false;
}

}  // namespace sluice::server
