// How long to wait before each attempt to connect again: twice as long as before, up to a limit, and scattered, so that
// the clients of a broker that restarts do not all come back at once. Belongs to one thread.
#pragma once

#include <chrono>
#include <functional>
#include <optional>

namespace sluice::cli {

class Backoff {
public:
    using Duration = std::chrono::milliseconds;
    static constexpr Duration first_default{500}, longest{30'000}, least_growth{100};

    // `random` returns numbers from 0 to 1.
    explicit Backoff(std::function<double()> random);

    // A random part of the wait, at least half of it.
    Duration next();
    // The next wait is the first again.
    void reset();
    // What the broker wants the first wait to be (`retry:`).
    void set_first(Duration first);

private:
    std::function<double()> random_;
    Duration first_ = first_default;
    std::optional<Duration> last_;
};

// From 0 to 1.
double random_share();

}  // namespace sluice::cli
