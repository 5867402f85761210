#include "protocol/feed/record/erase_item.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "protocol/feed/record/record_document.hpp"

namespace sluice::feed {

namespace {

bool contains(const SourceRange& outer, const SourceRange& inner) {
    return outer.offset <= inner.offset &&
           std::uint64_t{inner.offset} + inner.length <= std::uint64_t{outer.offset} + outer.length;
}

// The items of the events that are left are where they were.
bool finds_all(const DocumentRecord& record, std::span<const EventHead> events) {
    const auto document = parse_record(record, record.limits);
    if (!document) return false;
    return std::all_of(events.begin(), events.end(),
                       [&](const EventHead& event) { return event.is_erased || find_item(**document, event.item); });
}

// What is written over an item: a text, and then one character again and again.
struct Filling {
    std::string text;
    char rest;
};

// The first that the other items stay items beside is taken. An element of the same name is for event paths that look
// at siblings.
std::vector<Filling> fillings_of(std::string_view item) {
    if (!item.starts_with('<')) return {{"", '\n'}, {"null", ' '}, {"0", ' '}, {"", ' '}};
    const std::string_view name = item.substr(1, item.find_first_of("/> \t\r\n") - 1);
    return {{"", ' '}, {"<" + std::string(name) + "/>", ' '}, {"", '\n'}};
}

DocumentRecord filled(const DocumentRecord& record, const SourceRange& place, const Filling& filling) {
    std::string text = *record.text;
    std::fill_n(text.begin() + place.offset, place.length, filling.rest);
    text.replace(place.offset, filling.text.size(), filling.text);
    DocumentRecord changed = record;
    changed.text = std::make_shared<const std::string>(std::move(text));
    return changed;
}

// If nothing else helps, with spaces: what must go goes.
void overwrite(DocumentRecordPtr& record, std::span<const EventHead> events, const SourceRange& place) {
    const std::string_view text(*record->text);
    if (place.offset > text.size() || place.length > text.size() - place.offset) return;
    const bool is_last =
        std::all_of(events.begin(), events.end(), [](const EventHead& event) { return event.is_erased; });
    DocumentRecord changed = filled(*record, place, {"", ' '});
    for (const Filling& filling : fillings_of(text.substr(place.offset, place.length))) {
        if (is_last) break;
        if (filling.text.size() > place.length) continue;
        DocumentRecord other = filled(*record, place, filling);
        if (!finds_all(other, events)) continue;
        changed = std::move(other);
        break;
    }
    record = std::make_shared<const DocumentRecord>(std::move(changed));
}

SourceRange range_at(std::size_t offset, std::size_t length) {
    return {static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(length)};
}

bool is_event(std::span<const EventHead> events, const SourceRange& place) {
    return std::any_of(events.begin(), events.end(),
                       [&](const EventHead& event) { return !event.is_erased && event.item == place; });
}

}  // namespace

void erase_item(DocumentRecordPtr& record, std::span<EventHead> events, std::size_t event) {
    const SourceRange place = events[event].item;
    for (EventHead& other : events)
        if (contains(place, other.item)) other.is_erased = true;
    overwrite(record, events, place);
}

bool erase_copies(DocumentRecordPtr& record, std::span<const EventHead> events, std::string_view item, bool may_nest) {
    const std::string_view text = *record->text;
    if (item.empty() || text.find(item) == std::string_view::npos) return false;
    std::vector<SourceRange> places;
    if (record->context == RecordContext::document) {
        const auto document = parse_record(*record, record->limits);
        if (!document) return false;
        for (std::size_t i = 0; i < (*document)->items().size(); ++i)
            if ((*document)->items()[i].source == item) places.push_back(source_range(**document, i));
    } else if (may_nest && item.starts_with('<')) {
        for (std::size_t at = text.find(item); at != std::string_view::npos; at = text.find(item, at + item.size()))
            places.push_back(range_at(at, item.size()));
    }
    std::erase_if(places, [&](const SourceRange& place) { return is_event(events, place); });
    for (const SourceRange& place : places) overwrite(record, events, place);
    return !places.empty();
}

}  // namespace sluice::feed
