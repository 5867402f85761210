// What the log keeps of a publication: its whole document, or its new and changed items alone where that is smaller, as
// with a feed of which one item is new. Any thread.
#pragma once

#include <span>
#include <vector>

#include "broker/core/ingest/publication.hpp"
#include "config/options.hpp"
#include "protocol/feed/model/record.hpp"
#include "protocol/feed/record/record_item.hpp"

namespace sluice::broker {

// One for each of `events`, which are items of the document in its order; empty: the whole document is kept.
std::vector<feed::ItemRecord> items_to_keep(const Publication& publication, std::span<const feed::EventHead> events,
                                            config::ContextOption context);

}  // namespace sluice::broker
