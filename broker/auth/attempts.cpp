#include "broker/auth/attempts.hpp"

#include <algorithm>

namespace sluice::auth {

std::optional<Attempts::Clock::duration> Attempts::take(std::string_view key, Clock::time_point now) {
    const std::lock_guard lock(mutex_);
    Clock::time_point& full_at = *full_at_locked(key, now);
    const Clock::time_point next = std::max(full_at, now) + interval;
    const Clock::duration wait = next - now - at_once_ * interval;
    if (wait > Clock::duration::zero()) return wait;
    full_at = next;
    return std::nullopt;
}

void Attempts::give_back(std::string_view key) {
    const std::lock_guard lock(mutex_);
    const auto at = times_.find(std::string(key));
    (at == times_.end() ? shared_ : at->second) -= interval;
}

// A full bucket is as good as none.
Attempts::Clock::time_point* Attempts::full_at_locked(std::string_view key, Clock::time_point now) {
    std::string text(key);
    if (const auto at = times_.find(text); at != times_.end()) return &at->second;
    if (times_.size() >= most_keys_ && now - swept_at_ >= interval) {
        swept_at_ = now;
        std::erase_if(times_, [now](const auto& each) { return each.second <= now; });
    }
    if (times_.size() >= most_keys_) return &shared_;
    return &times_.emplace(std::move(text), now).first->second;
}

std::size_t Attempts::size() const {
    const std::lock_guard lock(mutex_);
    return times_.size();
}

}  // namespace sluice::auth
