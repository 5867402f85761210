// The CPU backend's set: new subscriptions gather in a builder, compile() makes a segment of them, and segments of
// similar size are merged, so that there are only ever a few; large merges run on a thread of their own. Ownership and
// threads as matcher.hpp says.
#pragma once

#include <memory>

#include "gpu/matcher.hpp"

namespace sluice {

class Accelerator;

// With an accelerator (accelerator.hpp), or null, programs match what it has a copy of with its help.
std::unique_ptr<SubscriptionSet> make_cpu_set(std::shared_ptr<Accelerator> accelerator = nullptr);

}  // namespace sluice
