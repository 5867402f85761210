// The CPU backend's set: new subscriptions gather in a builder, compile() makes a segment of them, and segments of
// similar size are merged, so there are only ever a few. Large merges run on a separate thread. Ownership and threads
// as in matcher.hpp.
#pragma once

#include <memory>

#include "gpu/api/matcher.hpp"
#include "gpu/tables/limits.hpp"

namespace sluice::cpu {

class Accelerator;

// With the accelerator's help, programs match the segments of which it has copies (accelerator.hpp). It may be null.
// Limits other than the default ones are for tests, and must be lower.
std::unique_ptr<engine::SubscriptionSet> make_cpu_set(std::shared_ptr<Accelerator> accelerator = nullptr,
                                                      const engine::SetLimits& limits = {});

}  // namespace sluice::cpu
