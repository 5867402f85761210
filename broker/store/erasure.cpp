#include "broker/store/erasure.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "protocol/feed/record/erase_item.hpp"

namespace sluice::store {

std::optional<Erasure> Erasure::begin(Kept& kept, std::uint64_t id) {
    const auto event = std::find_if(kept.events.begin(), kept.events.end(),
                                    [id](const feed::EventHead& each) { return each.id == id; });
    if (event == kept.events.end() || event->is_erased) return std::nullopt;
    Erasure erasure;
    erasure.stream_ = *kept.stream;
    erasure.id_ = id;
    erasure.time_ = event->time;
    if (event->item.offset <= kept.record->text->size())
        erasure.item_ = kept.record->text->substr(event->item.offset, event->item.length);
    erasure.ids_.insert(id);
    feed::erase_item(kept.record, kept.events, static_cast<std::size_t>(event - kept.events.begin()));
    feed::erase_copies(kept.record, kept.events, erasure.item_, false);
    return erasure;
}

bool Erasure::may_be_in(const Kept& kept) const {
    return !item_.empty() && kept.record->text->find(item_) != std::string::npos;
}

bool Erasure::erase_from(Kept& kept) {
    if (!may_be_in(kept)) return false;
    const feed::DeadLetterPtr letter = kept.record->dead_letter;
    if (letter == nullptr || !ids_.contains(letter->id)) {
        const std::string& stream = letter == nullptr ? *kept.stream : letter->stream;
        if (stream != stream_) return false;
        const bool may_nest = kept.events.front().id < id_ && kept.events.front().time == time_;
        return feed::erase_copies(kept.record, kept.events, item_, may_nest);
    }
    auto record = std::make_shared<feed::DocumentRecord>(*kept.record);
    feed::DeadLetter without_reason = *letter;
    without_reason.reason.clear();  // it may quote the item
    record->dead_letter = std::make_shared<const feed::DeadLetter>(std::move(without_reason));
    kept.record = std::move(record);
    bool has_erased = false;
    for (std::size_t i = 0; i < kept.events.size(); ++i) {
        if (kept.events[i].is_erased) continue;
        ids_.insert(kept.events[i].id);
        feed::erase_item(kept.record, kept.events, i);
        has_erased = true;
    }
    return has_erased;
}

}  // namespace sluice::store
