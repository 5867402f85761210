#include "broker/core/matching/dispatch.hpp"

#include <cstddef>
#include <exception>
#include <stdexcept>
#include <utility>
#include <vector>

#include "broker/base/log.hpp"
#include "protocol/feed/model/source_range.hpp"
#include "protocol/feed/record/record_document.hpp"

namespace sluice::broker {

void Dispatch::operator()(const store::Append& append) const noexcept {
    if (append.document && queue_.push(*append.stream, *append.document, append.events)) return;
    try {
        parse_and_push(append);
    } catch (const std::exception& error) {
        lose(append, append.events.size(), error.what());
    }
}

void Dispatch::parse_and_push(const store::Append& append) const {
    feed::DocumentPtr document = append.document;
    if (!document) {
        auto parsed = feed::parse_record(*append.record, limits_);
        if (!parsed) throw std::runtime_error(parsed.error().message);
        document = std::move(*parsed);
    }
    const std::size_t n = append.events.size();
    const std::size_t share = (document->memory_bytes() + n - 1) / n;
    std::vector<QueuedEvent> events;
    events.reserve(n);
    for (const feed::EventHead& event : append.events) {
        if (const auto item = feed::find_item(*document, event.item))
            events.push_back({{document, *item, append.stream, event.id, event.time, event.change}, share, {}});
    }
    const std::size_t damaged = n - events.size();
    queue_.push(std::move(events));
    if (damaged != 0) lose(append, damaged, "a document has no item where an event's item should be");
}

void Dispatch::lose(const store::Append& append, std::size_t events, const char* why) const noexcept {
    base::log_failure("appended events can't be matched", why);
    fanout_.end_undelivered(*append.stream);
    count(counters_.events_lost, events);
}

}  // namespace sluice::broker
