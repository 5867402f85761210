// Parses documents after charging the memory budget. A document holds its charge for as long as it lives. Any thread.
#pragma once

#include <optional>
#include <string>

#include "broker/base/memory/memory_budget.hpp"
#include "broker/core/ingest/memory_shortage.hpp"
#include "protocol/feed/model/document.hpp"

namespace sluice::broker {

// Exactly one member is set.
struct ChargedDocument {
    feed::DocumentPtr document;  // its tree and its queued events are charged until the last reference to it is gone
    std::optional<feed::FeedError> fault;
    std::optional<MissingMemory> missing;
};

// Consumes `bytes`, unless there is no memory for the document: then the caller may try again. `held`: as for
// shortage_of().
ChargedDocument parse_charged(base::MemoryBudget& memory, std::string&& bytes, const feed::DocumentOptions& options,
                              std::size_t held);

}  // namespace sluice::broker
