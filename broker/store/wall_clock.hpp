// The wall clock, by which events and identities have their times. Tests give another one. Any thread.
#pragma once

#include <chrono>
#include <functional>

#include "protocol/feed/model/record.hpp"

namespace sluice::store {

using WallClock = std::function<feed::RecordTime()>;

inline feed::RecordTime wall_time() {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::microseconds>(now).count();
}

}  // namespace sluice::store
