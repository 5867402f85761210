// When a device may be used again after it has failed: at once if it succeeds, else after a pause that doubles with
// every failure in a row. A lost one may be revived after a pause that doubles with every loss, and is not used before
// that has succeeded. Knows nothing of CUDA. Any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

namespace sluice::cuda {

class DeviceHealth {
public:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::milliseconds pause_min{500}, pause_max{64'000};
    static constexpr std::chrono::minutes forgotten_after{10};  // a loss is the first again

    // Ready, or due for another attempt: then only the first who asks gets it, until the attempt is reported.
    bool may_try(Clock::time_point now);
    bool might_try(Clock::time_point now) const;  // the same without asking for it
    void succeeded();
    void failed(const std::string& what, Clock::time_point now);
    // Counts a failure of one thing that says nothing of the next.
    void note(const std::string& what, Clock::time_point now);
    // Nothing can be done with the device until it is revived. Also says that an attempt to do so has failed.
    void lose(const std::string& what, Clock::time_point now);
    bool may_revive(Clock::time_point now) const;  // it is lost, and due
    void revived();
    bool is_lost() const;

    std::uint64_t failures() const;
    struct Failure {
        std::string what;
        Clock::time_point at;  // the earliest there is if it has never failed
    };
    Failure last_failure() const;
    std::string state(Clock::time_point now) const;  // "ready", "tried again in 4 s", "lost, tried again in 4 s"

private:
    enum class State : std::uint8_t { ready, pausing, trying, lost };

    void count(const std::string& what, Clock::time_point now);
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
