// When a device may be used again after it has failed: at once if it succeeds, else after a pause that doubles with
// every failure in a row; never if it is lost. Knows nothing of CUDA. Any thread.
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

    // Ready, or due for another attempt: then only the first who asks gets it, until the attempt is reported.
    bool may_try(Clock::time_point now);
    void succeeded();
    void failed(const std::string& what, Clock::time_point now);
    // Nothing in this process can be done with the device any more.
    void lose(const std::string& what);

    std::uint64_t failures() const;
    std::string last_failure() const;
    std::string state(Clock::time_point now) const;  // "ready", "tried again in 4 s", "lost until a restart"

private:
    enum class State : std::uint8_t { ready, pausing, trying, lost };

    mutable std::mutex mutex_;
    State state_ = State::ready;
    Clock::time_point again_{};
    std::chrono::milliseconds pause_ = pause_min;
    std::uint64_t failures_ = 0;
    std::string last_failure_;
};

}  // namespace sluice::cuda
