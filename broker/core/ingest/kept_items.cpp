#include "broker/core/ingest/kept_items.hpp"

#include <cstddef>
#include <utility>

#include "protocol/feed/model/source_range.hpp"

namespace sluice::broker {

std::vector<feed::ItemRecord> items_to_keep(const Publication& publication, std::span<const feed::EventHead> events,
                                            config::ContextOption context) {
    constexpr std::size_t record_bytes = 2 * sizeof(feed::DocumentRecord);  // of a record beside its text
    const std::size_t whole = publication.record->text->size(), records = events.size() * record_bytes;
    if (context == config::ContextOption::document || whole <= records) return {};
    std::size_t bytes = 0;
    for (const feed::EventHead& event : events) bytes += event.item.length;
    if (bytes >= whole / 2) return {};
    std::vector<std::size_t> items;
    items.reserve(events.size());
    for (const feed::EventHead& event : events)
        items.push_back(feed::find_item(*publication.document, event.item).value());
    auto alone = feed::record_items(*publication.document, *publication.record, items, whole - records);
    return alone ? std::move(*alone) : std::vector<feed::ItemRecord>();
}

}  // namespace sluice::broker
