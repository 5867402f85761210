// What the threads that use a store share: its streams, how far it can be read, and what is wrong with it.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "broker/store/event_log.hpp"
#include "broker/store/rocks/database/database.hpp"
#include "broker/store/rocks/database/open_database.hpp"
#include "broker/store/rocks/stream_table.hpp"

namespace sluice::store {

struct SharedState {
    explicit SharedState(base::MemoryBudget& memory) : table(memory) {}

    OpenDatabase database;

    std::mutex mutex;  // guards the members below
    StreamTable table;
    std::uint64_t last_id = 0;  // what is above it may not be read yet
    LogState log;
    std::string epoch;
    feed::RecordTime begun_at = 0;
    // Events that this process has been asked to erase: no dead letters of them are appended any more, though they may
    // have been read before.
    std::set<std::uint64_t> erased;
};

// What an append, and whatever else is to be written, fails with meanwhile.
AppendError error_in(LogState::Condition condition);

// Notes that the events of these ids can't be read, and says so in the log; once for each. `stream`: theirs; null: that
// is not known, so it may be any that has events there.
void note_damage(SharedState& state, std::uint64_t first_id, std::uint64_t last_id, const std::string& what,
                 const StoredStreamEntry* stream = nullptr);

// What is kept at a key of the events; a text says why it can't be used.
struct StoredKept {
    std::shared_ptr<Kept> kept;  // without its stream's name
    std::uint32_t stream = 0;
    std::string damage;
    // Of the value when it was appended, which the index and the stream's record count: without what says that events
    // have been erased.
    std::uint32_t bytes = 0;
};
StoredKept decode_kept(std::string_view key, std::string_view value);
// Puts events of one document at the key of the first; returns the bytes of their value.
std::uint32_t put_kept(Batch& batch, std::uint32_t stream, const feed::DocumentRecord& document,
                       std::span<const feed::EventHead> events);

}  // namespace sluice::store
