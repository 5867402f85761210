#include "broker/store/rocks/stream_table.hpp"

#include <algorithm>

#include "broker/store/selected_extent.hpp"
#include "gpu/check/check.hpp"

namespace sluice::store {

std::size_t StreamTable::bytes_of(const StoredStreamEntry& stream) {
    constexpr std::size_t places = 512;  // in the maps, with the text of the name twice
    return sizeof(StoredStreamEntry) + places + 2 * stream.name->size() +
           (stream.definition ? stream.definition->size() : 0);
}

StreamEntryPtr StreamTable::find(std::string_view name) const {
    const auto at = by_name_.find(name);
    return at == by_name_.end() ? nullptr : at->second;
}

StreamEntryPtr StreamTable::find(std::uint32_t number) const {
    const auto at = by_number_.find(number);
    return at == by_number_.end() ? nullptr : at->second;
}

StreamEntryPtr StreamTable::add(std::string_view name, std::uint32_t number) {
    auto stream = std::make_shared<StoredStreamEntry>();
    stream->name = std::make_shared<const std::string>(name);
    stream->number = number;
    stream->place = by_first_id_.extract(by_first_id_.insert({0, number}).first);
    if (changed_.capacity() <= by_name_.size()) changed_.reserve(2 * by_name_.size() + 8);  // note_changed() needs none
    const auto at = by_number_.emplace(number, stream).first;
    try {
        by_name_.emplace(*stream->name, stream);
    } catch (...) {
        by_number_.erase(at);
        throw;
    }
    memory_.force_resize(memory_.bytes() + bytes_of(*stream));
    return stream;
}

StreamEntryPtr StreamTable::find_or_create(std::string_view name) {
    if (StreamEntryPtr found = find(name)) return found;
    StreamEntryPtr stream = add(name, numbers_given_ + 1);
    ++numbers_given_;
    stream->extent.dropped = forgotten_;  // it may have been one of those
    stream->safely_dropped = 0;
    stream->extent.may_have_dead_letters = false;
    return stream;
}

void StreamTable::load(std::uint32_t number, const StreamRecord& record, std::optional<std::string> definition) {
    StreamEntryPtr stream = find(number);
    if (stream == nullptr) {
        if (std::find(dead_.begin(), dead_.end(), number) != dead_.end()) return;
        stream = add(record.name, number);
        set_definition(*stream, std::move(definition));
        stream->is_definition_changed = false;
    }
    numbers_given_ = std::max(numbers_given_, number);
    StoredExtent extent = record.extent;
    extent.dropped.add(stream->extent.dropped);  // what was dropped here is not on disk yet
    stream->safely_dropped = record.extent.lost_id();
    set_extent(*stream, extent);
    if (stream->within) stream->within = extent;
}

void StreamTable::erase(std::string_view name) {
    const auto at = by_name_.find(name);
    if (at == by_name_.end()) return;
    const StreamEntryPtr stream = at->second;
    dead_.push_back(stream->number);
    const StoredExtent& extent = stream->extent;  // stays, for whoever reads it
    if (extent.events != 0) {
        by_first_id_.erase({extent.first_id, stream->number});
        events_ -= extent.events;
        bytes_ -= extent.bytes;
        ++drops_;
    }
    forgotten_.add(extent.dropped);
    forgotten_.add({extent.last_id, extent.last_time});
    dropped_.add(forgotten_);
    if (extent.last_id != 0 || extent.dropped.id != 0) ++forgotten_streams_;
    memory_.force_resize(memory_.bytes() - bytes_of(*stream));
    std::erase(changed_, stream);
    stream->is_changed = stream->is_definition_changed = false;
    stream->is_erased = true;
    by_name_.erase(at);
    by_number_.erase(stream->number);
}

void StreamTable::set_extent(StoredStreamEntry& stream, const StoredExtent& extent) noexcept {
    if (stream.is_erased) return;
    if (stream.extent.events != 0) stream.place = by_first_id_.extract({stream.extent.first_id, stream.number});
    events_ += extent.events - stream.extent.events;
    bytes_ += extent.bytes - stream.extent.bytes;
    stream.extent = extent;
    dropped_.add(extent.dropped);
    const bool may_be_within = extent.events != 0 && stream.within && stream.within->first_id >= extent.first_id;
    if (stream.within && stream.within->events != 0 && !may_be_within) stream.within = extent;
    if (extent.events == 0) return;
    stream.place.value() = {extent.first_id, stream.number};
    SLUICE_CHECK(by_first_id_.insert(std::move(stream.place)).inserted);
}

void StreamTable::set_definition(StoredStreamEntry& stream, std::optional<std::string> definition) {
    memory_.force_resize(memory_.bytes() - bytes_of(stream));
    stream.definition = std::move(definition);
    stream.is_definition_changed = true;
    memory_.force_resize(memory_.bytes() + bytes_of(stream));
}

void StreamTable::note_changed(const StreamEntryPtr& stream) noexcept {
    if (stream->is_changed || stream->is_erased) return;
    stream->is_changed = true;
    changed_.push_back(stream);
}

std::vector<StreamEntryPtr> StreamTable::take_changed() {
    std::vector<StreamEntryPtr> changed;
    changed.reserve(2 * by_name_.size() + 8);
    changed.swap(changed_);
    for (const StreamEntryPtr& stream : changed) stream->is_changed = false;
    return changed;
}

void StreamTable::describe(std::string_view name, std::uint64_t last_id, Slice& slice) const {
    slice.drops = drops_;
    slice.oldest_id = last_id + 1;
    if (name == all_streams) {
        slice.dropped_id = dropped_.id;
        if (!by_first_id_.empty()) slice.oldest_id = by_first_id_.begin()->first;
        return;
    }
    const StreamEntryPtr stream = find(name);
    slice.dropped_id = stream ? stream->extent.dropped.id : forgotten_.id;
    if (stream && stream->extent.events != 0) slice.oldest_id = stream->extent.first_id;
}

StreamExtent StreamTable::extent(std::string_view name, std::uint64_t last_id) const {
    StreamExtent extent;
    extent.first_id = last_id + 1;
    extent.drops = drops_;
    Dropped dropped = forgotten_;
    if (name == all_streams) {
        dropped = dropped_;
        extent.events = events_;
        extent.bytes = bytes_;
        for (const auto& [number, stream] : by_number_)
            if (stream->extent.events != 0) extent.last_id = std::max(extent.last_id, stream->extent.last_id);
        if (!by_first_id_.empty()) {
            extent.first_id = by_first_id_.begin()->first;
            extent.oldest = find(by_first_id_.begin()->second)->extent.oldest;
        }
    } else if (const StreamEntryPtr stream = find(name)) {
        const StoredExtent& stored = stream->extent;
        dropped = stored.dropped;
        extent.events = stored.events;
        extent.bytes = stored.bytes;
        if (stored.events != 0) {
            extent.first_id = stored.first_id;
            extent.last_id = stored.last_id;
            extent.oldest = stored.oldest;
        }
    }
    extent.dropped_id = dropped.id;
    extent.dropped_time = dropped.time;
    if (dropped.id == forgotten_.id) extent.forgotten = forgotten_streams_;
    return extent;
}

std::vector<StreamExtent> StreamTable::extents(const text::StreamSelection& streams, std::uint64_t last_id) const {
    std::vector<StreamExtent> extents;
    for (const std::string& name : streams.names()) extents.push_back(extent(name, last_id));
    if (streams.prefixes().empty()) return extents;
    for (const auto& [name, stream] : by_name_)
        if (has_selected_prefix(name, streams)) extents.push_back(extent(name, last_id));
    extents.push_back(extent("", last_id));  // as of a stream that it does not know
    return extents;
}

}  // namespace sluice::store
