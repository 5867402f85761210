// How long work reports its progress and is stopped.
#pragma once

#include <functional>

namespace sluice::recurrence {

// Called now and then on the calling thread, with the share of the work done, from 0 to 1. False: stop. Empty: go on.
using GoOn = std::function<bool(double share)>;

}  // namespace sluice::recurrence
