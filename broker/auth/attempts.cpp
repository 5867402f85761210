#include "broker/auth/attempts.hpp"

#include <utility>

namespace sluice::auth {

std::optional<Attempts::Clock::duration> Attempts::take(std::string_view key, Clock::time_point now) {
    const std::lock_guard lock(mutex_);
    return bucket_locked(key, now).take(now, interval, at_once_);
}

void Attempts::give_back(std::string_view key) {
    const std::lock_guard lock(mutex_);
    if (const auto at = buckets_.find(std::string(key)); at != buckets_.end()) at->second.give_back(interval);
}

// A full bucket is as good as none.
base::TokenBucket& Attempts::bucket_locked(std::string_view key, Clock::time_point now) {
    std::string text(key);
    if (const auto at = buckets_.find(text); at != buckets_.end()) return at->second;
    if (buckets_.size() >= most_keys_ && now - swept_at_ >= interval) {
        swept_at_ = now;
        std::erase_if(buckets_, [now](const auto& each) { return each.second.is_full(now); });
    }
    if (buckets_.size() >= most_keys_) return shared_;
    return buckets_.try_emplace(std::move(text)).first->second;
}

std::size_t Attempts::size() const {
    const std::lock_guard lock(mutex_);
    return buckets_.size();
}

}  // namespace sluice::auth
