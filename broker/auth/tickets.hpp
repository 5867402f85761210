// Tickets stand for a user's credentials in the URL of one event stream, since a browser's EventSource can send no
// header. A ticket must be used within a minute; from then on it is good for that URL alone, for an hour since it was
// issued, and for one stream at a time. Kept in memory, by the digests of their texts. Any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "broker/auth/secrets.hpp"
#include "broker/auth/user.hpp"

namespace sluice::auth {

class Tickets {
public:
    using Clock = std::chrono::steady_clock;
    using EndStream = std::function<void()>;  // returns at once; nothing is locked while it is called

    static constexpr std::chrono::seconds first_use_max{60}, time_max{3'600};
    static constexpr std::size_t tickets_max = 10'000, of_user_max = 100;

    struct Issued {
        std::string id;
        std::string text;  // the secret
    };
    // None: there are too many, of the user or in all.
    std::optional<Issued> issue(const UserPtr& user, Clock::time_point now);

    struct Use {
        UserPtr user = nobody();
        std::string id;     // "": it is not good,
        std::string why{};  // and why
    };
    // `target`: the path and the query without the ticket.
    Use use(std::string_view text, const std::string& target, Clock::time_point now);

    // Its stream begins; the one before it ends. Returns false if the ticket is gone: then this one must end.
    bool begin_stream(const std::string& id, EndStream end);

    // Ends its stream, too. False: there is none of this id that `by` may revoke.
    bool revoke(const std::string& id, const User& by);
    void forget_revoked();  // those of users who have changed; their streams end otherwise

    std::size_t size() const;

private:
    struct Ticket {
        Sha256 digest;
        UserPtr user;
        Clock::time_point issued;
        std::optional<std::string> target{};  // none: it has not been used
        EndStream end{};
    };
    using ById = std::unordered_map<std::string, Ticket>;

    static bool is_over(const Ticket& ticket, Clock::time_point now);
    template <typename Condition>
    void erase_locked(Condition condition);

    mutable std::mutex mutex_;
    ById tickets_;
    std::unordered_map<Sha256, std::string, Sha256Hash> ids_;
};

}  // namespace sluice::auth
