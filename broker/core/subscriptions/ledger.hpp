// What a durable subscription knows of its deliveries: how far the log has been read for it, and which events are
// delivered and not acknowledged. Pure: time is passed in. Belongs to whoever holds the subscription's lock.
//
// An id is *outstanding* from its first delivery until it is acknowledged, dropped or a dead letter. Meanwhile it is
// with a consumer until a deadline, or waits for a time, or is due, or is being fetched from the log to be delivered
// again; or it is spent, or on its way to the dead-letter stream.
//
// Acknowledging and delivering cost a few steps in trees of the outstanding ids, also with 65,536 of them; set(),
// release() and encode() look at each.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::broker {

class Ledger {
public:
    using Time = std::chrono::steady_clock::time_point;
    using Duration = std::chrono::steady_clock::duration;
    using Consumer = std::uint64_t;  // 0: none

    struct Settings {
        Duration ack_wait = std::chrono::seconds(30);
        std::size_t prefetch = 1'000;  // outstanding at once
        // Then it is a dead letter, or without a stream for these, waits; 0: no limit.
        std::uint32_t deliveries_max = 0;
        bool has_dead_letters = false;
        // Nothing is delivered before what has a lower id: neither again, nor for the first time while anything is to
        // be delivered again.
        bool in_order = false;
    };
    // Without dead letters, what has been delivered deliveries_max times waits this long, twice as long after each
    // delivery, up to the second; if it was rejected, beyond the time that its consumer asked for.
    static constexpr std::chrono::seconds backoff_least{1}, backoff_most{300};
    static constexpr std::size_t reason_bytes_max = 1'024;  // longer ones end here, with "…"
    // More can't be outstanding, whatever the prefetch: callers keep to credit(), or go beyond it by little.
    static constexpr std::size_t outstanding_max = 2 * 65'536;
    // As many ids at or above next() are stored as done. Those beyond are delivered again after a restart.
    static constexpr std::size_t done_max = 65'536;

    // Nothing has been delivered, and the log is read from `next` on.
    Ledger(const Settings& settings, std::uint64_t next);
    // From encode(). All that was outstanding is due at once, or spent. None: these are not its bytes.
    static std::optional<Ledger> decode(const Settings& settings, std::string_view bytes);
    std::string encode() const;

    // Hold for what happens from now on.
    void set(const Settings& settings);
    // Changes whenever encode() might.
    std::uint64_t version() const { return version_; }

    // Reading the log.

    std::uint64_t next() const { return next_; }  // everything below has been delivered, or nobody wants it
    std::uint64_t cursor() const;                 // the highest id such that nothing up to it is outstanding or unread
    std::size_t outstanding() const { return entries_.size(); }
    std::size_t credit() const;  // how many more may be delivered for the first time
    std::size_t held_by(Consumer consumer) const;
    // An event at or above next() is delivered for the first time. Returns its number of deliveries: 1, or 2 if it may
    // have been delivered before a crash; 0: it must not be, since it is outstanding or done.
    std::uint32_t deliver(std::uint64_t id, Consumer consumer, Time now);
    // Everything below `next` has been decided.
    void advance(std::uint64_t next);
    // Begins to read elsewhere. What was delivered before no longer counts.
    void seek(std::uint64_t next);

    // Ids up to here may have been delivered, without that being known here.
    std::uint64_t loaded_mark() const { return loaded_mark_; }
    // Up to here an id may be delivered once encode() is stored.
    std::uint64_t mark() const { return mark_; }
    void set_mark(std::uint64_t mark);  // never lowers it
    void lower_mark();                  // to what is known to have been delivered: nobody is about to deliver more
    bool all_with_consumers() const { return with_consumers_ == entries_.size(); }

    // Redelivery.

    struct Due {
        std::uint64_t id = 0;
        std::uint32_t deliveries = 0;  // with the one to come

        friend bool operator==(const Due&, const Due&) = default;
    };
    // Up to `most` of those that are due, the lowest ids first. They are being fetched then.
    std::vector<Due> take_due(Time now, std::size_t most);
    // One that is being fetched is delivered. Returns its number of deliveries; 0: it is done meanwhile.
    std::uint32_t deliver_again(std::uint64_t id, Consumer consumer, Time now);
    // What is being fetched is due again.
    void give_up_fetching();
    // It is gone from the log, or no filter accepts it any more. Returns false if it is not outstanding.
    bool drop(std::uint64_t id);

    struct Spent {
        std::uint64_t id = 0;
        std::uint32_t deliveries = 0;
        std::string reason{};  // reject()'s, or what else became of the last delivery

        friend bool operator==(const Spent&, const Spent&) = default;
    };
    // Up to `most` of those that have been delivered often enough, and are to be dead letters, the lowest ids first.
    // They are on their way then, until drop() or return_spent().
    std::vector<Spent> take_spent(Time now, std::size_t most);
    void return_spent(std::uint64_t id, Time again);  // it could not be appended
    // It is being appended: from now on encode() leaves it out, and nobody can acknowledge it. False: it is not on its
    // way any more.
    bool bury(std::uint64_t id);
    bool end_burial(std::uint64_t id);  // it has been appended; false: it is no longer buried

    // When something will be due or spent: Time::min() if it is; none: nothing.
    std::optional<Time> next_time() const;
    // The same without those that are due, which somebody has to take.
    std::optional<Time> next_change() const;
    // Those that are due by their deadline count as expired: for the metric.
    std::uint64_t expired() const { return expired_; }

    // What consumers say. Ids that are not outstanding are harmless, and told.

    bool acknowledge(std::uint64_t id);               // false: it is not outstanding
    std::size_t acknowledge_up_to(std::uint64_t id);  // how many
    // Both hold for the delivery with this number only, while it is with a consumer; 0: the last one, whichever it is.
    // False: it is not.
    bool reject(std::uint64_t id, std::uint32_t deliveries, std::string_view reason, Time again);
    bool extend(std::uint64_t id, std::uint32_t deliveries, Time until);
    // All that is with this consumer is due.
    void release(Consumer consumer, Time now);

private:
    enum class Place : std::uint8_t { consumer, waiting, restored, due, fetching, spent, dying, buried };
    enum class End : std::uint8_t { restarted, expired, rejected, released };  // of the last delivery
    struct Entry {
        std::uint32_t deliveries = 1;
        Place place = Place::restored;
        End end = End::restarted;
        Consumer consumer = 0;
        Time time{};           // with a consumer, its deadline; else when it will be due
        std::string reason{};  // reject()'s
    };
    using Entries = std::map<std::uint64_t, Entry>;

    static std::string_view reason_of(End end);
    static std::uint32_t one_more(std::uint32_t deliveries);

    bool is_worn_out(const Entry& entry) const;  // delivered often enough
    Duration backoff(const Entry& entry) const;
    void hand_over(std::uint64_t id, Entry& entry, Consumer consumer, Time now);
    void end_delivery(std::uint64_t id, Entry& entry, Time again);
    void wait(std::uint64_t id, Entry& entry, Time again);
    void file(std::uint64_t id, Entry& entry);  // under those that are due, or spent
    void settle(Time now);                      // files those whose time has come
    Entry* with_consumer(std::uint64_t id, std::uint32_t deliveries);
    void move(Entry& entry, Place place);
    void leave_consumer(const Entry& entry);
    bool is_next_due(std::uint64_t id) const;
    Entries::iterator finish(Entries::iterator at);

    Settings settings_;
    std::uint64_t next_;
    std::uint64_t mark_ = 0, loaded_mark_ = 0, highest_delivered_ = 0;
    Entries entries_;               // outstanding
    std::set<std::uint64_t> done_;  // at or above next_
    // Those entries by place: with a consumer, waiting or restored; and the others, except those on their way.
    std::set<std::pair<Time, std::uint64_t>> times_;
    std::set<std::uint64_t> due_, fetching_, spent_;
    std::size_t with_consumers_ = 0, buried_ = 0;  // entries
    std::map<Consumer, std::size_t> held_;         // those with consumers, by consumer; none: it has none
    std::uint64_t version_ = 0, expired_ = 0;
};

}  // namespace sluice::broker
