// A subscriber whose events come from the log for some time. Belongs to its lane's thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "broker/base/memory/memory_budget.hpp"
#include "broker/core/delivery/subscriber.hpp"
#include "broker/core/matching/prepared_batch.hpp"
#include "broker/core/replay/replay_program.hpp"
#include "broker/store/event_log.hpp"
#include "broker/store/selected_extent.hpp"

namespace sluice::broker {

struct Reader {
    static constexpr std::size_t events_most = 256;  // read in one step
    static constexpr std::size_t again_most = 64;    // found again in one step: each is looked up by itself

    std::shared_ptr<Subscriber> subscriber;
    base::MemoryCharge filter_memory;
    std::shared_ptr<ReplayProgram> program;  // with its filters, and possibly others'
    std::vector<std::uint32_t> beside;       // its filters that look at siblings
    bool is_ready = false;                   // it waits for its turn
    store::KnownDrops told{};                // drops that it was told of, or knew of when it began
    std::uint64_t told_at = 0;               // its `next` when it was last told; 0: it was not
    std::uint64_t looked_at = 0;             // while the log's drops are told.drops, it knows of all from this id on
    std::size_t events_max = events_most;    // of the next step that it leads
    std::size_t again_max = again_most;      // of those that it finds again in one step
    std::uint64_t failed_at = 0;             // an event that can't be matched even by itself

    // In the current step:
    bool rides = false;
    std::uint64_t next = 0;  // it gets events from here on
    std::uint64_t end = 0;   // and below this
    PreparedBatch::Made found{};
    bool is_lost = false;     // its mailbox has refused it
    std::uint32_t place = 0;  // in Collected

    const std::string& stream() const { return subscriber->stream; }
    std::string_view log_stream() const { return stream().empty() ? store::all_streams : std::string_view(stream()); }
};

}  // namespace sluice::broker
