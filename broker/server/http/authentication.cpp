#include "broker/server/http/authentication.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "broker/auth/password.hpp"
#include "broker/auth/token.hpp"
#include "broker/base/log.hpp"
#include "broker/server/http/busy_problems.hpp"
#include "broker/server/http/permission.hpp"
#include "broker/server/http/reply_writer.hpp"
#include "broker/server/net/plain_address.hpp"

namespace sluice::server {

namespace asio = boost::asio;
using auth::UserPtr;
using broker::AuthenticationResult;

namespace {

constexpr const char* wrong_password = "the user name or the password is wrong";

std::string address_key(const asio::ip::address& address) {
    const auto bytes = network_key(address);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string text_of_errors(const std::vector<config::ConfigError>& errors) {
    constexpr std::size_t shown_max = 10;
    std::string text;
    for (std::size_t i = 0; i < std::min(errors.size(), shown_max); ++i)
        text += (i == 0 ? "" : "\n") + config::to_string(errors[i]);
    if (errors.size() > shown_max) text += "\nand " + std::to_string(errors.size() - shown_max) + " more";
    return text;
}

std::string unknown_role(std::string_view option, const std::string& role, const std::string& file) {
    const std::string begin = std::string(option) + ": there is no role \"" + role + "\": ";
    if (file.empty()) return begin + "write none or all, or name a users file with this role (auth.users)";
    return begin + "write none or all, or a role under roles: in " + file;
}

// A longer name is nobody's, whatever its end.
std::string_view name_key(std::string_view name) { return name.substr(0, 64); }

}  // namespace

Authentication::Authentication(Context context)
    : context_(std::move(context)), has_file_(!context_.options.users.empty()), checks_(context_.memory) {
    std::string fault;
    if (has_file_) read_state_ = seen_state_ = base::file_state(context_.options.users);
    users_ = load(context_.options, context_.filter_limits, nullptr, fault);
    if (!users_) throw std::runtime_error(fault);
    set_defaults(*users_);
}

// Null, and why, if the file is not valid.
Authentication::Users Authentication::load(const config::AuthOptions& options, const filter::FilterLimits& limits,
                                           const auth::Users* before, std::string& fault) {
    Users loaded;
    if (options.users.empty()) {
        loaded = std::make_shared<const auth::Users>();
    } else {
        const auto file = config::load_users_file(options.users, auth::users_checks(limits));
        if (!file.errors.empty()) {
            // Of the contents the place says enough.
            fault = (file.errors.front().line == 0 ? "auth.users: " : "") + text_of_errors(file.errors);
            return nullptr;
        }
        if (file.is_readable_by_others)
            base::log_warn("the users file can be read by others: chmod 600", {{"file", options.users}});
        loaded = std::make_shared<const auth::Users>(file.file, limits, before);
    }
    for (const auto& [option, role] :
         {std::pair("auth.anonymous", &options.anonymous), std::pair("auth.local", &options.local)}) {
        if (loaded->role(*role) != nullptr) continue;
        fault = unknown_role(option, *role, options.users);
        return nullptr;
    }
    return loaded;
}

std::string Authentication::find_fault(const config::AuthOptions& options, const filter::FilterLimits& limits) {
    std::string fault;
    load(options, limits, nullptr, fault);
    return fault;
}

void Authentication::set_defaults(const auth::Users& users) {
    const auto set = [&](std::atomic<const UserPtr*>& to, const std::string& role) {
        UserPtr user = users.role(role);
        const UserPtr* before = to.load(std::memory_order_relaxed);
        if (before != nullptr && *before == user) return;
        to.store(&defaults_.emplace_back(std::move(user)), std::memory_order_release);
    };
    set(anonymous_, context_.options.anonymous);
    set(local_, context_.options.local);
}

Authentication::Users Authentication::users() const {
    const std::lock_guard lock(mutex_);
    return users_;
}

UserPtr Authentication::find_user(std::string_view name) const {
    const Users known = users();
    const auth::Account* account = known->find(name);
    return account == nullptr ? auth::nobody() : account->user;
}

// A request that has been identified with the users of before ends with them, except event streams: these look at
// is_revoked once more when they begin.
std::vector<UserPtr> Authentication::reload(bool only_changed) {
    if (!has_file_) return {};
    const base::FileState state = base::file_state(context_.options.users);
    const bool is_settled = std::exchange(seen_state_, state) == state;
    if (only_changed && (!is_settled || state == read_state_)) return {};
    read_state_ = state;
    const Users before = users();
    std::string fault;
    const Users loaded = load(context_.options, context_.filter_limits, before.get(), fault);
    if (!loaded) {
        base::log_error("the users file could not be read again, what was read before stays in use",
                        {{"reason", fault}});
        return {};
    }
    std::vector<UserPtr> changed = loaded->changed_since(*before);
    {
        const std::lock_guard lock(mutex_);
        users_ = loaded;
        set_defaults(*loaded);
    }
    for (const UserPtr& user : changed) user->is_revoked = true;
    remembered_.forget_revoked();
    tickets_.forget_revoked();
    base::log_info("users file read again", {{"users", loaded->size()}, {"changed", changed.size()}});
    return changed;
}

bool Authentication::identify(const HttpRequest& request, Principal& client, std::optional<HttpReply>& refusal) {
    if (!client.ticket.empty()) client.ticket.clear();
    const Credentials credentials = credentials_of(*request.headers);
    if (credentials.kind == Credentials::Kind::none) {
        const std::string_view ticket = ticket_of(request);
        if (ticket.empty() && (client.user.empty() || !has_file_)) {
            const UserPtr& account = *(client.is_local ? local_ : anonymous_).load(std::memory_order_acquire);
            if (client.account != account) client.account = account;
            return true;
        }
        client.account = auth::nobody();
        refusal = ticket.empty() ? check_certificate(client) : check_ticket(request, ticket, client);
        return true;
    }
    client.account = auth::nobody();
    client.user.clear();
    switch (credentials.kind) {
        case Credentials::Kind::twice:
            broker::count(context_.counters.authentications[AuthenticationResult::malformed]);
            refusal = status_reply(400, "there are two Authorization fields");
            return true;
        case Credentials::Kind::bearer:
            refusal = check_token(credentials.secret, client);
            return true;
        case Credentials::Kind::basic:
            break;
        default:
            refusal = refuse(client, AuthenticationResult::malformed,
                             "the Authorization field is malformed, or its scheme is not Basic or Bearer");
            return true;
    }
    const Users known = users();
    const auth::Account* account = known->find(credentials.name);
    if (account == nullptr) return false;
    const auth::Sha256 digest = remembered_.digest(credentials.name, credentials.secret);
    if (!remembered_.knows(digest, *account->user, now())) return false;
    accept(account->user, AuthenticationResult::remembered, client);
    return true;
}

// A user who does not exist, or has no password, costs what others cost.
asio::awaitable<std::optional<HttpReply>> Authentication::check(const HttpRequest& request, Principal& client) {
    if (has_earlier_replies(request) && !co_await request.replies->write_collected())
        co_return busy_problem("the connection ended while replies to earlier requests were written");
    Credentials credentials = credentials_of(*request.headers);
    const std::string name = credentials.name, from = address_key(client.address);
    const Users known = users();
    const auth::Account* account = known->find(name);
    const bool has_password = account != nullptr && !account->password.empty();
    const std::string& hash = has_password ? account->password : auth::hash_of_nobody();
    const auth::Sha256 digest = remembered_.digest(name, credentials.secret);
    const std::string_view digest_bytes(reinterpret_cast<const char*>(digest.data()), digest.size());
    const auth::Sha256 key = auth::sha256(std::string(digest_bytes) + hash);
    // Not called for what is being checked already, which is no further guess.
    bool is_guess = false;
    std::optional<Clock::duration> wait;
    const PasswordChecks::Admit admit = [&] {
        wait = by_address_.take(from, now());
        if (wait) return false;
        wait = by_name_.take(name_key(name), now());
        if (wait) by_address_.give_back(from);
        is_guess = !wait;
        return is_guess;
    };
    const PasswordChecks::Outcome outcome =
        co_await checks_.check(key, hash, credentials.secret, request.address_use, admit);
    if (outcome == PasswordChecks::Outcome::refused) co_return refuse_slowed(*wait);
    if (outcome != PasswordChecks::Outcome::wrong && is_guess) {
        by_address_.give_back(from);
        by_name_.give_back(name_key(name));
    }
    if (outcome == PasswordChecks::Outcome::busy) {
        broker::count(context_.counters.authentications[AuthenticationResult::busy]);
        co_return busy_problem("too many passwords are waiting to be checked");
    }
    // The user may have changed while it was checked.
    if (outcome == PasswordChecks::Outcome::wrong || !has_password || account->user->is_revoked)
        co_return refuse(client, AuthenticationResult::wrong, wrong_password,
                         account != nullptr ? std::string_view(name) : std::string_view());
    remembered_.add(digest, account->user, now());
    accept(account->user, AuthenticationResult::checked, client);
    co_return std::nullopt;
}

void Authentication::accept(const UserPtr& user, AuthenticationResult how, Principal& client) {
    client.account = user;
    client.user = user->name;
    broker::count(context_.counters.authentications[how]);
}

// What was given is not logged: it may be a password in the wrong place.
HttpReply Authentication::refuse(const Principal& client, AuthenticationResult why, std::string detail,
                                 std::string_view known_user) {
    broker::count(context_.counters.authentications[why]);
    const std::string address = client.address.to_string();
    if (known_user.empty())
        base::log_warn("credentials were refused", {{"address", address}, {"reason", detail}});
    else
        base::log_warn("credentials were refused", {{"address", address}, {"reason", detail}, {"user", known_user}});
    return unauthorized(std::move(detail));
}

HttpReply Authentication::refuse_slowed(Clock::duration wait) {
    broker::count(context_.counters.authentications[AuthenticationResult::slowed]);
    return share_problem("too many wrong credentials from this address or for this user; try again after Retry-After",
                         wait);
}

// Of a token or a ticket that is not valid.
HttpReply Authentication::refuse_secret(const Principal& client, AuthenticationResult why, std::string detail) {
    if (const auto wait = by_address_.take(address_key(client.address), now())) return refuse_slowed(*wait);
    return refuse(client, why, std::move(detail));
}

std::optional<HttpReply> Authentication::check_token(std::string_view text, Principal& client) {
    constexpr std::int64_t second = 1'000'000;
    const Users known = users();
    const auto id = auth::token_id(text);
    const auth::Token* token = id ? known->find_token(*id) : nullptr;
    const auth::Sha256 digest = auth::sha256(text);
    if (token == nullptr || !auth::is_equal(digest, token->digest))
        return refuse_secret(client, AuthenticationResult::wrong, "the token is not valid");
    if (token->expires && context_.wall_now() >= *token->expires * second)
        return refuse(client, AuthenticationResult::expired, "the token has expired", token->account->user->name);
    accept(token->account->user, AuthenticationResult::token, client);
    return std::nullopt;
}

std::optional<HttpReply> Authentication::check_ticket(const HttpRequest& request, std::string_view ticket,
                                                      Principal& client) {
    client.user.clear();
    auth::Tickets::Use use = tickets_.use(ticket, target_without_ticket(request), now());
    if (use.id.empty()) return refuse_secret(client, AuthenticationResult::wrong, std::move(use.why));
    accept(use.user, AuthenticationResult::ticket, client);
    client.ticket = std::move(use.id);
    return std::nullopt;
}

// The same text whether there is no such user or the user may not use certificates.
std::optional<HttpReply> Authentication::check_certificate(Principal& client) {
    const Users known = users();
    const auth::Account* account = known->find(client.user);
    if (account != nullptr && account->certificate) {
        accept(account->user, AuthenticationResult::certificate, client);
        return std::nullopt;
    }
    const std::string name = std::exchange(client.user, {});
    return refuse(
        client, AuthenticationResult::wrong,
        "the client certificate names \"" + name + "\", which is not a user with certificate: true in the users file");
}

}  // namespace sluice::server
