// Everything that was accepted can be stored: the limits of documents were checked before.
#pragma once

#include "protocol/feed/record/record_codec.hpp"

namespace sluice::store {

inline constexpr feed::RecordLimits stored_record_limits{0xffff'ffff, 100'000'000, 1'000'000};

}  // namespace sluice::store
