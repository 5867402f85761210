#include "broker/auth/remembered.hpp"

#include <utility>

namespace sluice::auth {

// That a digest is found tells nothing: who does not know the key can't aim at one.
bool Remembered::knows(const Sha256& digest, const User& user, Clock::time_point now) const {
    const std::lock_guard lock(mutex_);
    const auto at = entries_.find(digest);
    return at != entries_.end() && at->second.user.get() == &user && !user.is_revoked && now < at->second.until;
}

void Remembered::add(const Sha256& digest, UserPtr user, Clock::time_point now) {
    const std::lock_guard lock(mutex_);
    if (entries_.size() >= passwords_max)
        std::erase_if(entries_, [now](const auto& each) { return each.second.until <= now; });
    if (entries_.size() >= passwords_max) entries_.erase(entries_.begin());
    entries_.insert_or_assign(digest, Entry{std::move(user), now + time_max});
}

void Remembered::forget_revoked() {
    const std::lock_guard lock(mutex_);
    std::erase_if(entries_, [](const auto& each) { return each.second.user->is_revoked.load(); });
}

std::size_t Remembered::size() const {
    const std::lock_guard lock(mutex_);
    return entries_.size();
}

}  // namespace sluice::auth
