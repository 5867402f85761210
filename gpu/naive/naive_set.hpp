// The reference backend: every literal of every subscription is evaluated on every event, in the plainest way. It
// defines the answers that the other backends are tested against, and is never the right choice for speed.
// Ownership and threads as matcher.hpp says.
#pragma once

#include <memory>

#include "gpu/matcher.hpp"

namespace sluice {

std::unique_ptr<SubscriptionSet> make_naive_set();

}  // namespace sluice
