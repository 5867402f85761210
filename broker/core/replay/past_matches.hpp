// Counts the retained events of a stream that a filter matches, step by step, from the oldest on: trying a filter on
// what was published. Leaves out events that are published after it began, and those outside the user's scope: these
// are read, but neither counted nor shown, whether or not the filter accepts them or can be decided for them. One
// thread at a time.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "broker/auth/scope.hpp"
#include "broker/base/memory/memory_budget.hpp"
#include "broker/core/replay/stored_documents.hpp"
#include "broker/match/batch_matcher.hpp"
#include "broker/store/event_log.hpp"
#include "gpu/api/matcher.hpp"
#include "protocol/feed/model/event.hpp"
#include "protocol/feed/model/record.hpp"
#include "protocol/filter/filter.hpp"

namespace sluice::broker {

class PastMatches {
public:
    static constexpr std::size_t examples_max = 20;
    // Of the work of a step, as estimated from sizes and steps. Texts are mostly read several times as fast.
    static constexpr std::chrono::milliseconds step_time{20};
    static constexpr feed::RecordTime hour_us = 3'600'000'000;

    struct Limits {
        BatchLimits conditions = {};
        feed::FeedLimits documents = {};
        std::uint64_t events = 1'000'000;                                 // read, in the scope or not
        std::chrono::nanoseconds time = std::chrono::nanoseconds::max();  // of all work, as estimated
    };
    // Where to read, and what outlives this object.
    struct Source {
        store::EventLog& log;
        base::MemoryBudget& memory;
        auth::Scope scope;  // not empty; if it has row filters, the filter must not look beside the item
        std::uint64_t first_id = 0;
    };
    struct Hour {
        std::uint64_t events = 0, matched = 0;
    };
    struct Counts {
        std::uint64_t events = 0, matched = 0;
        std::uint64_t over_budget = 0, context = 0, undelivered = 0;  // undecided, by GapReason
        std::map<feed::RecordTime, Hour> hours{};                     // with events, by their beginning
        // Of the last event read, and of the last one in the scope; 0: none.
        std::uint64_t last_read_id = 0, last_id = 0;
        feed::RecordTime last_read_time = 0, last_time = 0;
        bool is_complete = false;  // all events have been read, except those that were dropped
        bool has_dropped = false;  // the log dropped events of these streams before they were read, or can't read them
    };
    // An event that matches. Keeps its record.
    struct Example {
        std::shared_ptr<const store::Kept> of;
        feed::EventHead head;
        std::shared_ptr<const base::MemoryCharge> memory;  // of the record
    };

    // `pause` is called before each piece of work; an exception from it ends the step, and leaves nothing to do.
    PastMatches(const filter::Filter& filter, Source source, const Limits& limits, std::function<void()> pause);

    // Reads at least one event, if there is any. Returns false when all are read, or a limit is reached: at the same
    // event each time, since work is estimated. Throws StoredDocuments::NoMemory.
    bool step();

    const Counts& counts() const { return counts_; }
    const std::deque<Example>& examples() const { return examples_; }  // the newest so far, the oldest first
    StoredDocuments& documents() { return documents_; }

private:
    enum class Outcome : std::uint8_t { other, matched, over_budget, context, undelivered };
    struct Compiled {
        std::shared_ptr<const engine::Program> program;
        engine::SubscriptionId filter, scope;
    };
    struct Read {
        const store::KeptEvents* kept;
        const feed::EventHead* head;
        Outcome outcome = Outcome::other;
        bool is_permitted = false;  // for certain
    };

    bool read_batch();
    void read(const store::KeptEvents& kept);
    void match();
    static Compiled compile(const filter::Filter& filter, const auth::Scope& scope);
    template <class Note>
    void note(std::span<const engine::Match> matches, engine::SubscriptionId of, Note note);
    bool has_dropped(const store::Slice& slice) const;
    void count();
    void keep_examples();
    void spend(double ns);

    const Source source_;
    const Limits limits_;
    const std::function<void()> pause_;
    const std::string stream_;  // of the log: a name, or store::all_streams
    const bool needs_siblings_;
    const std::uint64_t end_id_;  // of the first event that is left out
    BatchMatcher matcher_;
    StoredDocuments documents_;
    const Compiled compiled_;
    std::uint64_t next_id_;
    std::size_t batch_events_ = 1;  // of the next batch
    std::uint64_t events_read_ = 0;
    Counts counts_;
    std::deque<Example> examples_;
    double spent_ns_ = 0;
    feed::DocumentRecordPtr last_record_;
    // Of the current batch:
    double batch_ns_ = 0;
    std::uint64_t scan_steps_ = 0;  // that have been spent
    std::vector<Read> read_;
    std::vector<feed::Event> events_;   // those to match
    std::vector<std::size_t> read_of_;  // their indices in read_
};

}  // namespace sluice::broker
