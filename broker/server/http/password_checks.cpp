#include "broker/server/http/password_checks.hpp"

#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <utility>

#include "broker/base/log.hpp"

namespace sluice::server {

namespace asio = boost::asio;

namespace {

// Long, for Workers: only one such task runs at a time.
constexpr std::chrono::milliseconds check_estimate{250};

}  // namespace

asio::awaitable<PasswordChecks::Outcome> PasswordChecks::check(auth::Sha256 key, std::string hash, std::string password,
                                                               base::Workers::Owner owner, Admit admit) {
    const auto pending = std::make_shared<std::shared_ptr<Pending>>(std::make_shared<Pending>());
    (*pending)->hash = std::move(hash);
    (*pending)->password = std::move(password);
    // Named, not written inside co_await: decisions/coroutines.md.
    auto initiate = [this, key, pending, owner, admit = std::move(admit)](auto handler) {
        const auto resume = std::make_shared<decltype(handler)>(std::move(handler));
        auto done = [resume] {
            asio::post(asio::get_associated_executor(*resume), [resume] { std::move (*resume)(); });
        };
        if (!wait(key, *pending, owner, admit, done)) done();
    };
    co_await asio::async_initiate<const asio::use_awaitable_t<>, void()>(std::move(initiate), asio::use_awaitable);
    co_return (*pending)->outcome;
}

bool PasswordChecks::wait(const auth::Sha256& key, std::shared_ptr<Pending>& pending, base::Workers::Owner owner,
                          const Admit& admit, std::function<void()> resume) {
    const std::lock_guard lock(mutex_);
    if (stopping_) return false;
    if (const auto at = pending_.find(key); at != pending_.end()) {
        at->second->waiting.push_back(std::move(resume));
        pending = at->second;
        return true;
    }
    if (pending_.size() >= waiting_max) return false;
    if (!admit()) {
        pending->outcome = Outcome::refused;
        return false;
    }
    const auto at = pending_.emplace(key, pending).first;
    try {
        pending->waiting.push_back(std::move(resume));
        if (workers_.post(
                owner, [this, key, made = pending] { run(key, *made); }, check_estimate) != 0)
            return true;
    } catch (...) {
        pending_.erase(at);
        throw;
    }
    pending->waiting.clear();
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
            outcome = check_(pending.hash, pending.password) ? Outcome::right : Outcome::wrong;
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

}  // namespace sluice::server
