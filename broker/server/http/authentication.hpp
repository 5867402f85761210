// Finds out whose a request is, by its credentials: a user's, or those that the configuration gives to who has none.
// Knows the users file, and reads it again. Any thread.
#pragma once

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "broker/auth/attempts.hpp"
#include "broker/auth/remembered.hpp"
#include "broker/auth/tickets.hpp"
#include "broker/auth/users.hpp"
#include "broker/base/file_state.hpp"
#include "broker/core/counters.hpp"
#include "broker/server/http/credentials.hpp"
#include "broker/server/http/http_types.hpp"
#include "broker/server/http/password_checks.hpp"
#include "config/options.hpp"
#include "protocol/filter/filter.hpp"

namespace sluice::server {

class Authentication {
public:
    using Clock = std::chrono::steady_clock;

    // Wrong credentials that are answered at once; then one a second is (decisions/users.md).
    static constexpr std::int64_t wrong_of_address = 10, wrong_of_name = 20;

    static std::int64_t system_time() {
        const auto now = std::chrono::system_clock::now().time_since_epoch();
        return std::chrono::duration_cast<std::chrono::microseconds>(now).count();
    }

    struct Context {
        const config::AuthOptions& options;
        filter::FilterLimits filter_limits;  // of row filters
        base::MemoryBudget& memory;
        broker::Counters& counters;
        std::function<std::int64_t()> wall_now = system_time;  // microseconds since 1970
        std::function<Clock::time_point()> steady_now = Clock::now;
    };

    // What is wrong with the users file or the roles, or "".
    static std::string find_fault(const config::AuthOptions& options, const filter::FilterLimits& limits);

    // Throws std::runtime_error, which says what to write, if the users file or a role is not valid.
    explicit Authentication(Context context);

    // Sets the account, the user and the ticket of `client`, whose other members are known; its user is that of the
    // client's certificate before. Returns whether that is done, or the request refused; else check() does it, since
    // it takes long. A request without credentials costs no lock and no allocation.
    bool identify(const HttpRequest& request, Principal& client, std::optional<HttpReply>& refusal);
    boost::asio::awaitable<std::optional<HttpReply>> check(const HttpRequest& request, Principal& client);

    auth::Tickets& tickets() { return tickets_; }
    Clock::time_point now() const { return context_.steady_now(); }

    // The user of this name as the file has it now; nobody() if there is none.
    auth::UserPtr find_user(std::string_view name) const;

    // Reads the users file again. `only_changed`: only if it has changed since it was read, and not since this was last
    // called: until then it may be half written. A file that is not valid is told of in the log, and changes nothing.
    // Returns the users who are gone or have changed: their objects are revoked. One thread at a time.
    std::vector<auth::UserPtr> reload(bool only_changed);

    // Passwords are checked no more: the connections are to end.
    void drain() { checks_.stop(); }

private:
    using Users = std::shared_ptr<const auth::Users>;

    Users users() const;
    static Users load(const config::AuthOptions& options, const filter::FilterLimits& limits, const auth::Users* before,
                      std::string& fault);
    void set_defaults(const auth::Users& users);
    void accept(const auth::UserPtr& user, broker::AuthenticationResult how, Principal& client);
    HttpReply refuse(const Principal& client, broker::AuthenticationResult why, std::string detail,
                     std::string_view known_user = {});
    HttpReply refuse_slowed(Clock::duration wait);
    HttpReply refuse_secret(const Principal& client, broker::AuthenticationResult why, std::string detail);
    std::optional<HttpReply> check_token(std::string_view text, Principal& client);
    std::optional<HttpReply> check_ticket(const HttpRequest& request, std::string_view ticket, Principal& client);
    std::optional<HttpReply> check_certificate(Principal& client);

    const Context context_;
    const bool has_file_;
    mutable std::mutex mutex_;
    Users users_;  // never null
    // The file's, when it was last read and last looked at.
    base::FileState read_state_, seen_state_;
    // Those of requests without credentials. They are read without a lock, so what they point to lives on.
    std::deque<auth::UserPtr> defaults_;
    std::atomic<const auth::UserPtr*> anonymous_{nullptr}, local_{nullptr};
    auth::Remembered remembered_;
    auth::Tickets tickets_;
    auth::Attempts by_address_{wrong_of_address}, by_name_{wrong_of_name};
    PasswordChecks checks_;
};

}  // namespace sluice::server
