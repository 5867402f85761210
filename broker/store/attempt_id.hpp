// Names an attempt to append, so that it can be repeated when its outcome is unknown: what has the same id is stored at
// most once, where the log can tell. Any thread.
#pragma once

#include "protocol/text/digest.hpp"

namespace sluice::store {

using AttemptId = text::Digest;

// Differs from all others, of other processes too.
AttemptId random_attempt_id();

}  // namespace sluice::store
