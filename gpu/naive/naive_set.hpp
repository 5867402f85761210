// The reference backend: evaluates every literal of every subscription on every event, in the plainest way. It defines
// the answers that the other backends are tested against, and is never the right choice for speed. Ownership and
// threads as in matcher.hpp.
#pragma once

#include <memory>

#include "gpu/api/matcher.hpp"

namespace sluice::engine {

std::unique_ptr<SubscriptionSet> make_naive_set();

}  // namespace sluice::engine
