// Checks passwords, one at a time, on a thread of its own: each takes long and much memory. What is asked for twice at
// the same time is checked once. Bounded: when too many wait, others are told so. Any thread.
#pragma once

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "broker/auth/password.hpp"
#include "broker/auth/secrets.hpp"
#include "broker/base/memory/memory_budget.hpp"
#include "broker/base/workers.hpp"

namespace sluice::server {

class PasswordChecks {
public:
    static constexpr std::size_t waiting_max = 64;

    // Busy or refused: it has not been checked.
    enum class Outcome : std::uint8_t { right, wrong, busy, refused };

    // Whether one more may be checked. Called under a lock.
    using Admit = std::function<bool()>;
    // Tests have checks of their own.
    using Check = bool (*)(std::string_view hash, std::string_view password);

    explicit PasswordChecks(base::MemoryBudget& memory, Check how = auth::check_password)
        : memory_(memory), check_(how), workers_(1, waiting_max) {}
    ~PasswordChecks() { stop(); }

    // `key`: of this hash and password, and no others. `owner`: who asks; owners take turns. `admit` is not asked if
    // that is being checked already, or waits for it, nor if too many wait.
    boost::asio::awaitable<Outcome> check(auth::Sha256 key, std::string hash, std::string password,
                                          base::Workers::Owner owner, Admit admit);

    // From now on all are busy, so that the connections can end.
    void stop() { stopping_ = true; }

private:
    struct Pending {
        std::string hash, password;
        std::vector<std::function<void()>> waiting;
        Outcome outcome = Outcome::busy;
    };

    void run(const auth::Sha256& key, Pending& pending);
    // `pending`: in, a new one; out, the one that has the outcome. Returns false if it can't wait.
    bool wait(const auth::Sha256& key, std::shared_ptr<Pending>& pending, base::Workers::Owner owner,
              const Admit& admit, std::function<void()> resume);

    base::MemoryBudget& memory_;
    const Check check_;
    std::atomic<bool> stopping_{false};
    std::mutex mutex_;
    std::unordered_map<auth::Sha256, std::shared_ptr<Pending>, auth::Sha256Hash> pending_;
    base::Workers workers_;  // ends before what its tasks use
};

}  // namespace sluice::server
