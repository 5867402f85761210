// Finds out whose a request is, by its credentials: a user's, or those that the configuration gives to who has none.
// Any thread.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <optional>

#include "broker/auth/user.hpp"
#include "broker/server/http/http_types.hpp"
#include "config/options.hpp"

namespace sluice::server {

class Authentication {
public:
    // Throws std::runtime_error if a role or the users file is not valid.
    explicit Authentication(const config::AuthOptions& options);

    // Sets the account and the user of `client`, whose other members are known. Returns whether that is done; else
    // check() does it, since it takes long.
    bool identify(const HttpRequest& request, Principal& client, std::optional<HttpReply>& refusal) const;
    boost::asio::awaitable<std::optional<HttpReply>> check(const HttpRequest& request, Principal& client);

private:
    auth::UserPtr anonymous_, local_;
};

}  // namespace sluice::server
