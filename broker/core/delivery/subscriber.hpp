// A session that receives events, as the matching side sees it. Shared by the session, the fan-out, and batches with
// deliveries for it that wait for their turn.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "broker/auth/scope.hpp"
#include "broker/core/delivery/framer.hpp"
#include "broker/core/delivery/mailbox.hpp"
#include "broker/core/delivery/mailboxes.hpp"
#include "broker/core/stream_counters.hpp"
#include "broker/match/annotator.hpp"
#include "protocol/text/stream_selection.hpp"

namespace sluice::broker {

// A subscriber's charges to the memory budget, and the list that contains its mailbox.
struct SubscriberMemory {
    base::MemoryCharge filters;  // its filters, and what the engine compiles from them
    base::MemoryCharge mailbox;
    Mailboxes* mailboxes = nullptr;
};

struct Subscriber {
    Subscriber(MailboxLimits limits, std::function<void()> wake, const Framer& frames, bool tell_filters,
               std::unique_ptr<const Annotator> with = nullptr, SubscriberMemory memory = {})
        : filter_memory(std::move(memory.filters)),
          mailbox(limits, std::move(wake), std::move(memory.mailbox)),
          framer(frames),
          tells_filters(tell_filters),
          annotator(std::move(with)),
          mailboxes(memory.mailboxes) {
        if (mailboxes != nullptr) mailboxes->add(mailbox);
    }
    ~Subscriber() {
        if (mailboxes != nullptr) mailboxes->remove(mailbox);
    }
    Subscriber(const Subscriber&) = delete;
    Subscriber& operator=(const Subscriber&) = delete;

    base::MemoryCharge filter_memory;  // used by the registry alone until the subscription is in place
    Mailbox mailbox;
    const Framer& framer;
    const bool tells_filters;                          // deliveries name the connection's filters that hold
    const std::unique_ptr<const Annotator> annotator;  // null: its events have no annotations
    Mailboxes* const mailboxes;
    // The filters with computed conditions, by number, to name those that exceed a budget. Set before it is added.
    std::vector<std::pair<std::uint32_t, std::string>> computed;
    // Whose events it gets, and if there is only one, its name. Set before it is added, by select().
    auth::Scope scope;
    std::string stream;
    const text::StreamSelection& selection() const { return scope.streams(); }
    void select(auth::Scope permitted) {
        scope = std::move(permitted);
        stream = selection().single();
    }
    StreamCountsPtr counts;       // the stream's; null: of several, or not counted by stream. Set before it is added
    const void* owner = nullptr;  // with whose subscribers it shares a turn; null: none. Set before it is added
    std::atomic<bool> has_replayed{false};  // its lane may still have its filters
    std::atomic<bool> gone{false};          // its subscriptions are being removed
    std::atomic<bool> not_added{false};     // there was no memory for its subscriptions
    std::shared_ptr<Subscriber> next_gone;  // list of subscribers that the registry is to remove
    std::uint64_t scan_owner = 0;           // used by the registry: its id in ScanOwners
    // It gets live events from this id on: those that the queue got once its subscriptions were in place. Until then:
    // none.
    static constexpr std::uint64_t no_id = Mailbox::no_id;
    std::atomic<std::uint64_t>& first_id = mailbox.first_id;

    // For its replays. Set before it is added.
    std::vector<std::string> filters;         // as they were given; empty: every event
    bool is_costly = false;                   // a filter has conditions that no index decides
    std::uint64_t last_id = no_id;            // its stream ends with the events up to this id
    std::uint64_t told_drops = 0;             // StreamExtent::drops, as far as it knows of them
    std::vector<std::uint64_t> told_dropped;  // and of several streams, KnownDrops::ids and KnownDrops::forgotten
    std::uint64_t told_forgotten = 0;
    std::uint64_t delivered_before = 0;  // events up to this id may have been delivered to it before

    // Used by the fan-out, under its lock: the last batch with deliveries for the subscriber, and its place there.
    std::uint64_t last_batch = 0;
    std::uint32_t place_in_batch = 0;
};

}  // namespace sluice::broker
