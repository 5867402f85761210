// What a store still needs of what its tables hold: whose an entry is, where it stands among those of its stream, and
// up to where these are dead. Values; any thread.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "broker/store/event_log.hpp"
#include "broker/store/rocks/database/database.hpp"
#include "broker/store/rocks/database/table_use.hpp"

namespace sluice::store {

// The position is the last id of events and index, else the time; the stream of replies is 0. None: it lasts, since it
// is state or damaged, which stays to be told of.
std::optional<Place> place_of(Family family, std::string_view key, std::string_view value);

class Needed {
public:
    static constexpr std::uint64_t nothing = std::numeric_limits<std::uint64_t>::max();

    struct Stream {
        std::uint32_t number = 0;
        std::uint64_t dropped_id = 0;  // no event up to this one is needed
        feed::RecordTime identities_since = 0;
    };

    // `streams`: all that there are. Other numbers up to `numbers_given` are those of deleted ones.
    Needed(std::vector<Stream> streams, std::uint32_t numbers_given, feed::RecordTime replies_since);

    // From which position on entries are needed.
    std::uint64_t first(Family family, std::uint32_t stream) const;
    bool needs(Family family, const Place& place) const { return place.position >= first(family, place.stream); }
    DeadBelow dead_below(Family family) const;  // while this exists

private:
    std::vector<Stream> streams_;  // by number
    std::uint32_t numbers_given_;
    feed::RecordTime replies_since_;
    // The least of all streams.
    std::uint64_t first_id_ = nothing, identities_since_ = nothing;
};

}  // namespace sluice::store
