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
#include <unordered_map>
#include <vector>

#include "broker/auth/secrets.hpp"
#include "broker/base/memory/memory_budget.hpp"
#include "broker/base/workers.hpp"

namespace sluice::server {

class PasswordChecks {
public:
    static constexpr std::size_t waiting_max = 64;

    enum class Outcome : std::uint8_t { right, wrong, busy };  // busy: it has not been checked

    explicit PasswordChecks(base::MemoryBudget& memory) : memory_(memory), workers_(1, waiting_max) {}
    ~PasswordChecks() { stop(); }

    // `key`: of this hash and password, and no others. `owner`: who asks; owners take turns.
    boost::asio::awaitable<Outcome> check(auth::Sha256 key, std::string hash, std::string password,
                                          base::Workers::Owner owner);
    // Whether that is being checked, or waits for it.
    bool is_pending(const auth::Sha256& key) const;

    // From now on all are busy, so that the connections can end.
    void stop() { stopping_ = true; }

private:
    struct Pending {
        std::string hash, password;
        std::vector<std::function<void()>> waiting;
        Outcome outcome = Outcome::busy;
    };

    void run(const auth::Sha256& key, Pending& pending);
    // Returns false if it can't wait.
    bool wait(const auth::Sha256& key, const std::shared_ptr<Pending>& made, std::shared_ptr<Pending>& joined,
              base::Workers::Owner owner, std::function<void()> resume);

    base::MemoryBudget& memory_;
    std::atomic<bool> stopping_{false};
    mutable std::mutex mutex_;
    std::unordered_map<auth::Sha256, std::shared_ptr<Pending>, auth::Sha256Hash> pending_;
    base::Workers workers_;  // ends before what its tasks use
};

}  // namespace sluice::server
