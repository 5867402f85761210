#include "gpu/device/device_health.hpp"

#include <algorithm>
#include <new>

namespace sluice::cuda {

bool DeviceHealth::can_attempt(Clock::time_point now) noexcept {
    const std::lock_guard lock(mutex_);
    if (state_ == State::ready) return true;
    if (!is_due(now)) return false;
    // A caller that never reports its result must not block others forever.
    state_ = State::trying;
    again_ = now + pause_;
    return true;
}

bool DeviceHealth::might_try(Clock::time_point now) const noexcept {
    const std::lock_guard lock(mutex_);
    return state_ == State::ready || is_due(now);
}

void DeviceHealth::count(std::string_view what, Clock::time_point now) noexcept {
    ++failures_;
    last_failure_.at = now;
    try {
        last_failure_.what = what;
    } catch (const std::bad_alloc&) {
        last_failure_.what = "out of memory";  // short enough to need none
    }
}

void DeviceHealth::note(std::string_view what, Clock::time_point now) noexcept {
    const std::lock_guard lock(mutex_);
    count(what, now);
}

void DeviceHealth::succeeded() noexcept {
    const std::lock_guard lock(mutex_);
    if (state_ != State::ready && state_ != State::trying) return;  // a batch from before the failure
    state_ = State::ready;
    pause_ = pause_min;
}

void DeviceHealth::failed(std::string_view what, Clock::time_point now) noexcept {
    const std::lock_guard lock(mutex_);
    count(what, now);
    if (state_ == State::lost) return;
    // Batches under way together fail together: that counts as one failure for the pause.
    if (state_ == State::pausing) return;
    state_ = State::pausing;
    again_ = now + pause_;
    pause_ = std::min(2 * pause_, pause_max);
}

void DeviceHealth::lose(std::string_view what, Clock::time_point now) noexcept {
    const std::lock_guard lock(mutex_);
    count(what, now);
    if (state_ == State::lost && now < again_) return;  // all batches under way report the same loss
    if (now - lost_at_ > forgotten_after) pause_after_loss_ = pause_min;
    state_ = State::lost;
    lost_at_ = now;
    again_ = now + pause_after_loss_;
    pause_after_loss_ = std::min(2 * pause_after_loss_, pause_max);
}

bool DeviceHealth::may_revive(Clock::time_point now) const noexcept {
    const std::lock_guard lock(mutex_);
    return state_ == State::lost && now >= again_;
}

void DeviceHealth::revived() noexcept {
    const std::lock_guard lock(mutex_);
    if (state_ != State::lost) return;
    state_ = State::ready;
    pause_ = pause_min;
}

bool DeviceHealth::is_lost() const noexcept {
    const std::lock_guard lock(mutex_);
    return state_ == State::lost;
}

std::uint64_t DeviceHealth::failures() const {
    const std::lock_guard lock(mutex_);
    return failures_;
}

DeviceHealth::Failure DeviceHealth::last_failure() const {
    const std::lock_guard lock(mutex_);
    return last_failure_;
}

std::string DeviceHealth::state(Clock::time_point now) const {
    const std::lock_guard lock(mutex_);
    if (state_ == State::ready) return "ready";
    const std::string lost = state_ == State::lost ? "lost, " : "";
    if (state_ == State::trying || now >= again_) return lost + "retry due";
    return lost + "retry in " + std::to_string(std::chrono::ceil<std::chrono::seconds>(again_ - now).count()) + " s";
}

}  // namespace sluice::cuda
