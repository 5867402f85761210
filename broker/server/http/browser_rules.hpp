// Decides which web pages may use the broker. Any page can make its reader's browser send requests to a broker that
// only this machine or network can reach. Host, Origin and the Sec-Fetch fields distinguish such requests from others:
// those of an <img> or <script> have no Origin. Clients other than browsers send none of these and are not affected.
// Created once; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "broker/server/http/http_types.hpp"
#include "config/options.hpp"

namespace sluice::server {

// Whether a Host field names "localhost", an address of 127.0.0.0/8 (also as [::ffff:127.0.0.1]) or [::1]; the port is
// ignored.
bool is_loopback_host(std::string_view host);

class BrowserRules {
public:
    explicit BrowserRules(const config::HttpOptions& options);

    // The reply that refuses a request, if any: 421 for a foreign host, 403 for a foreign web page. `host` comes from
    // the request's target or its Host field; empty: the request has none, as HTTP/1.0 permits. `path` is the target's.
    // `is_permitted`: a request with this host was not refused before, so that the host need not be looked at again.
    std::optional<HttpReply> refuse(http::verb method, const HeadFields& fields, std::string_view host,
                                    std::string_view path, bool is_permitted = false) const;

    // Adds the CORS headers that let the requesting page read the reply. Only an origin that is listed by name may use
    // what its reader's browser adds by itself, such as a saved password or a client certificate: "*" would let any
    // page act as its reader.
    void permit(const HeadFields& fields, HttpReply& reply) const;
    // Adds the CORS headers of the answer to a preflight request; `reply` has Allow.
    void permit_methods(const HeadFields& fields, HttpReply& reply) const;

private:
    bool is_known_host(std::string_view host) const;
    bool is_listed(std::string_view origin) const;
    bool is_allowed(std::string_view origin) const;

    const bool listens_on_loopback_;
    const std::vector<std::string> hosts_;
    const std::vector<std::string> origins_;
};

}  // namespace sluice::server
