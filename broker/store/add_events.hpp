// How a log fills a Slice. Pure function.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "broker/store/event_log.hpp"

namespace sluice::store {

// Adds events of one append to the slice, at most `events_max`, from which they are taken. Those that have been erased
// are left out. Returns the id of the first event that there was no room for.
std::optional<std::uint64_t> add_events(Slice& slice, const std::shared_ptr<const Kept>& of,
                                        std::span<const feed::EventHead> events, std::size_t& events_max);

}  // namespace sluice::store
