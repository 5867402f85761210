#include "broker/server/http/password_checks.hpp"

#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <utility>

#include "broker/auth/password.hpp"
#include "broker/base/log.hpp"

namespace sluice::server {

namespace asio = boost::asio;

namespace {

// Long, for Workers: only one such task runs at a time.
constexpr std::chrono::milliseconds check_estimate{250};

}  // namespace

asio::awaitable<PasswordChecks::Outcome> PasswordChecks::check(auth::Sha256 key, std::string hash, std::string password,
                                                               base::Workers::Owner owner) {
    const auto made = std::make_shared<Pending>();
    made->hash = std::move(hash);
    made->password = std::move(password);
    const auto joined = std::make_shared<std::shared_ptr<Pending>>();
    // Named, not written inside co_await: decisions/coroutines.md.
    auto initiate = [this, key, made, joined, owner](auto handler) {
        const auto resume = std::make_shared<decltype(handler)>(std::move(handler));
        auto done = [resume] {
            asio::post(asio::get_associated_executor(*resume), [resume] { std::move (*resume)(); });
        };
        if (!wait(key, made, *joined, owner, done)) done();
    };
    co_await asio::async_initiate<const asio::use_awaitable_t<>, void()>(std::move(initiate), asio::use_awaitable);
    co_return *joined ? (*joined)->outcome : Outcome::busy;
}

bool PasswordChecks::wait(const auth::Sha256& key, const std::shared_ptr<Pending>& made,
                          std::shared_ptr<Pending>& joined, base::Workers::Owner owner, std::function<void()> resume) {
    const std::lock_guard lock(mutex_);
    if (stopping_) return false;
    if (const auto at = pending_.find(key); at != pending_.end()) {
        at->second->waiting.push_back(std::move(resume));
        joined = at->second;
        return true;
    }
    if (pending_.size() >= waiting_max) return false;
    const auto at = pending_.emplace(key, made).first;
    try {
        made->waiting.push_back(std::move(resume));
        if (workers_.post(
                owner, [this, key, made] { run(key, *made); }, check_estimate) != 0) {
            joined = made;
            return true;
        }
    } catch (...) {
        pending_.erase(at);
        throw;
    }
    made->waiting.clear();
    pending_.erase(at);
    return false;
}

// The outcome is written before anybody is woken, and read only by those.
void PasswordChecks::run(const auth::Sha256& key, Pending& pending) {
    Outcome outcome = Outcome::busy;
    if (!stopping_) {
        try {
            const auto charge =
                memory_.force_charge(base::MemoryUse::evaluation, auth::password_check_bytes(pending.hash));
            outcome = auth::check_password(pending.hash, pending.password) ? Outcome::right : Outcome::wrong;
        } catch (const std::exception& error) {
            base::log_failure("a password could not be checked", error.what());
        }
    }
    auth::wipe(pending.password);
    std::vector<std::function<void()>> waiting;
    {
        const std::lock_guard lock(mutex_);
        pending.outcome = outcome;
        waiting.swap(pending.waiting);
        pending_.erase(key);
    }
    for (const auto& resume : waiting) resume();
}

bool PasswordChecks::is_pending(const auth::Sha256& key) const {
    const std::lock_guard lock(mutex_);
    return pending_.find(key) != pending_.end();
}

}  // namespace sluice::server
