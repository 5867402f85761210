#include "broker/server/http/authentication.hpp"

#include <stdexcept>

namespace sluice::server {

namespace {

auth::UserPtr role_named(const std::string& name) {
    if (name == "none") return auth::nobody();
    if (name == "all") return auth::everybody();
    throw std::runtime_error("there is no role \"" + name + "\"");
}

}  // namespace

Authentication::Authentication(const config::AuthOptions& options)
    : anonymous_(role_named(options.anonymous)), local_(role_named(options.local)) {}

bool Authentication::identify(const HttpRequest&, Principal& client, std::optional<HttpReply>&) const {
    const auth::UserPtr& account = client.is_local ? local_ : anonymous_;
    if (client.account != account) client.account = account;
    return true;
}

boost::asio::awaitable<std::optional<HttpReply>> Authentication::check(const HttpRequest&, Principal&) {
    co_return std::nullopt;
}

}  // namespace sluice::server
