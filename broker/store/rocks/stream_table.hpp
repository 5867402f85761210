// The streams of a store in memory: what their records say, and what has changed and is not on disk yet. The caller
// serialises all calls; the log holds its lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "broker/base/memory/memory_budget.hpp"
#include "broker/store/event_log.hpp"
#include "broker/store/rocks/layout.hpp"

namespace sluice::store {

// By the id of their oldest event.
using StreamsByFirstId = std::set<std::pair<std::uint64_t, std::uint32_t>>;

struct StoredStreamEntry {
    std::shared_ptr<const std::string> name;
    std::uint32_t number = 0;
    StoredExtent extent;
    std::uint64_t safely_dropped = 0;  // extent.lost_id() as it has been synced: files may lose what is not above it
    Retention retention;
    Hold hold;
    std::optional<StoredExtent> within;  // what the retention alone would keep, if there is a hold
    std::optional<std::string> definition;
    bool is_changed = false, is_definition_changed = false;
    bool is_hold_changed = false;
    bool is_erased = false;               // no longer in the table
    StreamsByFirstId::node_type place{};  // while it has no events
};
using StreamEntryPtr = std::shared_ptr<StoredStreamEntry>;

class StreamTable {
public:
    explicit StreamTable(base::MemoryBudget& memory) : memory_(memory.force_charge(base::MemoryUse::store, 0)) {}

    StreamEntryPtr find(std::string_view name) const;  // null: there is none
    StreamEntryPtr find(std::uint32_t number) const;
    StreamEntryPtr find_or_create(std::string_view name);
    // A stream as it was stored. What is known already of a stream with this number stays, except for its extent.
    void load(std::uint32_t number, const StreamRecord& record, std::optional<std::string> definition);
    // Forgets the stream. Its number stays in dead() until forget_dead().
    void erase(std::string_view name);

    // Nothing happens if the stream has been erased.
    void set_extent(StoredStreamEntry& stream, const StoredExtent& extent) noexcept;
    void set_definition(StoredStreamEntry& stream, std::optional<std::string> definition);
    void note_drop() { ++drops_; }
    void note_changed(const StreamEntryPtr& stream) noexcept;
    // The streams that have changed since the last call.
    std::vector<StreamEntryPtr> take_changed();
    bool has_changes() const { return !changed_.empty() || !dead_.empty(); }

    const std::vector<std::uint32_t>& dead() const { return dead_; }  // deleted, but that is not synced
    void forget_dead(std::size_t n) { dead_.erase(dead_.begin(), dead_.begin() + static_cast<std::ptrdiff_t>(n)); }

    std::uint32_t numbers_given() const { return numbers_given_; }
    void set_numbers_given(std::uint32_t n) { numbers_given_ = std::max(numbers_given_, n); }
    const Dropped& forgotten() const { return forgotten_; }
    void set_forgotten(const Dropped& forgotten) {
        forgotten_.add(forgotten);
        dropped_.add(forgotten);
    }

    // Of the stream, or of all_streams; of several as in EventLog. `last_id`: the log's.
    StreamExtent extent(std::string_view name, std::uint64_t last_id) const;
    std::vector<StreamExtent> extents(const text::StreamSelection& streams, std::uint64_t last_id) const;
    // What read() reports, without counting all events of all streams.
    void describe(std::string_view name, std::uint64_t last_id, Slice& slice) const;
    std::uint64_t bytes() const { return bytes_; }
    const std::unordered_map<std::uint32_t, StreamEntryPtr>& all() const { return by_number_; }

private:
    struct NameHash : std::hash<std::string_view> {
        using is_transparent = void;
    };

    StreamEntryPtr add(std::string_view name, std::uint32_t number);
    static std::size_t bytes_of(const StoredStreamEntry& stream);

    std::unordered_map<std::string, StreamEntryPtr, NameHash, std::equal_to<>> by_name_;
    std::unordered_map<std::uint32_t, StreamEntryPtr> by_number_;
    StreamsByFirstId by_first_id_;  // those with events
    std::vector<StreamEntryPtr> changed_;
    std::vector<std::uint32_t> dead_;
    std::uint32_t numbers_given_ = 0;
    std::uint64_t events_ = 0, bytes_ = 0;
    std::uint64_t drops_ = 1;  // earlier processes may have dropped some
    Dropped dropped_, forgotten_;
    std::uint64_t forgotten_streams_ = 0;  // by this process; those that had events
    base::MemoryCharge memory_;
};

}  // namespace sluice::store
