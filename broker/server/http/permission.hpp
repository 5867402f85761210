// What endpoints need of a user's rights, and the replies to those who lack them. Pure functions; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "broker/server/http/http_types.hpp"

namespace sluice::server {

// The rest, such as the streams that a body names, is checked by the endpoint itself.
class Needs {
public:
    enum What : std::uint8_t {
        nothing,
        any_right,
        publish,        // to some stream
        subscribe,      // to some stream
        subscriptions,  // the same, or to operate: for those of others
        see_stream,     // that of the path
        manage_stream,  // likewise
        operate,
    };
    constexpr Needs(What of) : what(of) {}  // no default: each endpoint says it

    What what;
};

// The reply to a request for something that the user may not do: 403, or 401 if there were no credentials. `what`
// completes "may not". It must not depend on whether what is named exists.
HttpReply forbidden(const auth::User& user, std::string_view what);
inline HttpReply forbidden(const Principal& client, std::string_view what) { return forbidden(*client.account, what); }
// 401: the credentials are wrong or missing.
HttpReply unauthorized(std::string detail);

// `name`: of the path. Returns no reply if the client has the right.
std::optional<HttpReply> refuse_unless_permitted(Needs needs, const Principal& client, std::string_view name);

}  // namespace sluice::server
