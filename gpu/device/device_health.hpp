// Decides when a device may be used again after a failure: after a success, at once; after a failure, following a pause
// that doubles with every failure in a row. A lost device may be revived after a pause that doubles with every loss,
// and is not used until a revival succeeds. No state change fails, even if there is no memory for a failure's text.
// Independent of CUDA. Any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

namespace sluice::cuda {

class DeviceHealth {
public:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::milliseconds pause_min{500}, pause_max{64'000};
    static constexpr std::chrono::minutes forgotten_after{10};  // later losses count as first ones

    // Whether the device is ready or due for another attempt. Only the first caller gets the attempt, until its result
    // is reported.
    bool can_attempt(Clock::time_point now) noexcept;
    bool might_try(Clock::time_point now) const noexcept;  // the same without claiming the attempt
    void succeeded() noexcept;
    void failed(std::string_view what, Clock::time_point now) noexcept;
    // Counts a failure that says nothing about the next attempt.
    void note(std::string_view what, Clock::time_point now) noexcept;
    // The device is lost until it is revived. Also reports a failed attempt to revive it.
    void lose(std::string_view what, Clock::time_point now) noexcept;
    bool may_revive(Clock::time_point now) const noexcept;  // it is lost, and a revival is due
    void revived() noexcept;
    bool is_lost() const noexcept;

    std::uint64_t failures() const;
    struct Failure {
        std::string what;
        Clock::time_point at;  // Clock::time_point::min() if it has never failed
    };
    Failure last_failure() const;
    std::string state(Clock::time_point now) const;  // "ready", "retry in 4 s", "lost, retry in 4 s"

private:
    enum class State : std::uint8_t { ready, pausing, trying, lost };

    void count(std::string_view what, Clock::time_point now) noexcept;
    bool is_due(Clock::time_point now) const { return state_ != State::lost && now >= again_; }

    mutable std::mutex mutex_;
    State state_ = State::ready;
    Clock::time_point again_{};
    std::chrono::milliseconds pause_ = pause_min, pause_after_loss_ = pause_min;
    Clock::time_point lost_at_{};
    std::uint64_t failures_ = 0;
    Failure last_failure_{{}, Clock::time_point::min()};
};

}  // namespace sluice::cuda
