#include "broker/store/rocks/needed.hpp"

#include <algorithm>
#include <utility>

#include "broker/store/rocks/layout.hpp"

namespace sluice::store {

namespace {

std::uint64_t position_of(feed::RecordTime time) {
    return static_cast<std::uint64_t>(std::max<feed::RecordTime>(time, 0));
}

}  // namespace

std::optional<Place> place_of(Family family, std::string_view key, std::string_view value) {
    switch (family) {
        case Family::state:
            break;
        case Family::events:
            if (const auto header = decode_event_header(key, value))
                return Place{header->stream, id_of_event_key(key) + header->events - 1};
            break;
        case Family::index:
            if (const auto entry = decode_index_entry(value))
                return Place{stream_of_key(key), id_of_index_key(key) + entry->events - 1};
            break;
        case Family::identities:
            if (const auto time = time_of_value(value)) return Place{stream_of_key(key), position_of(*time)};
            break;
        case Family::replies:
            if (const auto time = time_of_value(value)) return Place{0, position_of(*time)};
            break;
    }
    return std::nullopt;
}

Needed::Needed(std::vector<Stream> streams, std::uint32_t numbers_given, feed::RecordTime replies_since)
    : streams_(std::move(streams)), numbers_given_(numbers_given), replies_since_(replies_since) {
    std::sort(streams_.begin(), streams_.end(), [](const Stream& a, const Stream& b) { return a.number < b.number; });
    for (const Stream& stream : streams_) {
        first_id_ = std::min(first_id_, stream.dropped_id + 1);
        identities_since_ = std::min(identities_since_, position_of(stream.identities_since));
    }
}

std::uint64_t Needed::first(Family family, std::uint32_t stream) const {
    if (family == Family::state) return 0;
    if (family == Family::replies) return position_of(replies_since_);
    const auto found = std::lower_bound(streams_.begin(), streams_.end(), stream,
                                        [](const Stream& each, std::uint32_t number) { return each.number < number; });
    if (found == streams_.end() || found->number != stream) return stream <= numbers_given_ ? nothing : 0;
    return family == Family::identities ? position_of(found->identities_since) : found->dropped_id + 1;
}

DeadBelow Needed::dead_below(Family family) const {
    const auto of = [this, family](std::uint32_t stream) { return first(family, stream); };
    const auto of_all_to = [this, family](std::uint32_t stream) -> std::uint64_t {
        if (family == Family::state || family == Family::replies) return first(family, 0);
        if (stream > numbers_given_) return 0;
        return family == Family::identities ? identities_since_ : first_id_;
    };
    return {of, of_all_to};
}

}  // namespace sluice::store
