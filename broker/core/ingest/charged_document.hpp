// Parses documents after charging the memory budget. A document holds its charge for as long as it lives. Any thread.
#pragma once

#include <optional>
#include <string>

#include "broker/base/memory_budget.hpp"
#include "protocol/feed/model/document.hpp"

namespace sluice::broker {

// Why a charge was refused. temporary: other charges use the memory, and an idle broker would have it; permanent: it
// would not.
enum class MemoryShortage : std::uint8_t { temporary, permanent };

// `held`: what the same request has already charged, and holds until this charge is released.
MemoryShortage shortage_of(const base::MemoryBudget& memory, base::MemoryUse use, std::size_t bytes, std::size_t held);

// Exactly one member is set.
struct ChargedDocument {
    feed::DocumentPtr document;  // its tree and its queued events are charged until the last reference to it is gone
    std::optional<feed::FeedError> fault;
    std::optional<MemoryShortage> shortage;
};

// Consumes `bytes`, unless there is no memory for the document: then the caller may try again. `held`: as above.
ChargedDocument parse_charged(base::MemoryBudget& memory, std::string&& bytes, const feed::DocumentOptions& options,
                              std::size_t held);

}  // namespace sluice::broker
