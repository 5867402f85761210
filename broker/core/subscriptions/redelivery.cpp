// What becomes due of a durable subscription: redeliveries, and dead letters.
#include <algorithm>
#include <exception>

#include "broker/auth/scope.hpp"
#include "broker/base/log.hpp"
#include "broker/base/memory/memory_budget.hpp"
#include "broker/core/counters.hpp"
#include "broker/core/replay/replay.hpp"
#include "broker/core/replay/stored_documents.hpp"
#include "broker/core/subscriptions/dead_letter.hpp"
#include "broker/core/subscriptions/durable_subscription.hpp"
#include "broker/core/subscriptions/stored_names.hpp"
#include "broker/store/event_log.hpp"

namespace sluice::broker {

namespace {

constexpr std::size_t fetching_most = 256;           // events asked for again at once
constexpr std::size_t spent_most = 64;               // dead letters appended at once
constexpr std::chrono::seconds retry{1};             // of what the store has not taken
constexpr std::chrono::seconds forbidden_retry{60};  // of what the rights do not permit now

std::optional<store::AppendResult> try_append(store::EventLog& log, const store::Attempt& attempt, store::Append append,
                                              store::EventLog::Done done) {
    try {
        store::Appends appends;
        appends.push_back(std::move(append));
        return log.append(attempt, std::move(appends), std::move(done));
    } catch (const std::bad_alloc&) {  // nothing has been appended
        return store::AppendResult{store::AppendError::no_memory, {}};
    }
}

}  // namespace

// Has the log read for what is due, if anybody is there to get it.
void DurableSubscription::ask_due(Ledger::Time now) {
    if (!feed_ || consumers_.empty() || fetching_ >= fetching_most) return;
    const std::vector<Ledger::Due> due = ledger_.take_due(now, fetching_most - fetching_);
    tally_expired();
    if (due.empty()) return;
    std::vector<Mailbox::Again> asked;
    for (const Ledger::Due& each : due) asked.push_back({each.id, each.deliveries});
    fetching_ += asked.size();
    feed_->mailbox.ask_again(asked);
    context_.replay.request(feed_);
}

// The ledger notices what has expired when it looks for what is due.
void DurableSubscription::tally_expired() {
    tally(counts_.expired, totals_.expired, ledger_.expired() - counts_.expired);
}

std::optional<Ledger::Time> DurableSubscription::next_look(Ledger::Time now) const {
    std::optional<Ledger::Time> next;
    const auto add = [&next](Ledger::Time time) { next = next ? std::min(*next, time) : time; };
    // What is due now has been asked for, or waits until somebody consumes or takes what was asked for.
    if (const auto time = ledger_.next_change(); time && *time != Ledger::Time::max()) add(*time);
    if (feed_ && consumers_.empty()) add(idle_since_ + feed_idle);
    if (!held_.empty() && asked_mark_ == stored_mark_) add(now + retry);
    return next;
}

void DurableSubscription::schedule() {
    if (is_deleted_) return;
    const auto next = next_look(context_.now());
    if (!next || (scheduled_ && *scheduled_ <= *next)) return;
    scheduled_ = next;
    context_.schedule(shared_from_this(), *next);
}

std::optional<Ledger::Time> DurableSubscription::look(Ledger::Time now) {
    bool is_idle = false;
    std::vector<Ledger::Spent> spent;
    {
        const std::lock_guard lock(mutex_);
        scheduled_.reset();
        if (is_deleted_) return std::nullopt;
        spent = ledger_.take_spent(now, spent_most);
        tally_expired();
        ask_due(now);
        if (!held_.empty()) ask_mark(held_.front().event->id);
        is_idle = feed_ && consumers_.empty() && now - idle_since_ >= feed_idle;
    }
    if (is_idle) end_unused_feed();
    for (const Ledger::Spent& each : spent) bury(each);
    const std::lock_guard lock(mutex_);
    scheduled_ = is_deleted_ ? std::nullopt : next_look(now);
    return scheduled_;
}

// Where dead letters go, and for whose eyes they are.
struct DurableSubscription::Burial {
    std::string stream{};
    bool is_forbidden = false;                    // the owner may not publish there now
    std::shared_ptr<const auth::User> account{};  // the owner, or who consumes it; null: nobody has since the start

    bool is_known() const { return account != nullptr && !account->is_revoked; }
    bool permits_all_of(std::string_view of) const {
        return is_known() && auth::Scope(text::StreamSelection(), account->rights).permits_all_of(of);
    }
};

DurableSubscription::Burial DurableSubscription::plan_burial() const {
    Burial burial;
    {
        const std::lock_guard lock(mutex_);
        burial.stream = options_.dead_letter;
        burial.account = format_.account;
    }
    if (!key_.owner.empty()) {
        burial.account = context_.find_user ? context_.find_user(key_.owner) : auth::nobody();
        burial.is_forbidden = !burial.account->rights.may_publish(burial.stream);
    }
    return burial;
}

// Appends it to the stream of dead letters, and forgets it in the same step.
void DurableSubscription::bury(const Ledger::Spent& spent) {
    const Burial burial = plan_burial();
    StreamPtr stream;  // null: there is none now
    std::optional<store::Append> append;
    bool is_gone = false, is_erased = false;
    try {
        const store::Slice slice = context_.log.read(store::all_streams, spent.id, 1, 1);
        is_erased = slice.erased_id == spent.id;
        is_gone = slice.kept.empty() || slice.kept.front().events.front().id != spent.id;
        if (!is_gone && !burial.stream.empty() && !burial.is_forbidden) {
            if (const auto found = context_.streams.find_or_create(burial.stream, nullptr)) stream = *found;
        }
        if (stream != nullptr) {
            StoredDocuments documents(context_.documents, context_.memory);
            const store::KeptEvents& kept = slice.kept.front();
            append = dead_letter_append(documents, *kept.of, kept.events.front(),
                                        {key_.text(), {}, 0, spent.deliveries, spent.reason}, stream->name,
                                        !burial.permits_all_of(*kept.of->stream));
            is_gone = !append && burial.is_known();  // else who consumes it next may permit more
        }
    } catch (const std::exception& error) {
        base::log_failure("a dead letter can't be appended for now", error.what());
    }
    std::unique_lock lock(mutex_);
    if (is_deleted_) return;
    if (is_gone) {
        if (ledger_.drop(spent.id))
            is_erased ? tally(counts_.withdrawn, totals_.withdrawn) : tally(counts_.resets, totals_.resets);
        return store_ledger(nullptr);
    }
    if (!append)
        return ledger_.return_spent(
            spent.id, context_.now() + (burial.is_forbidden || !burial.is_known() ? forbidden_retry : retry));
    if (!ledger_.bury(spent.id)) return;  // it is acknowledged meanwhile
    store::Attempt attempt(store::random_attempt_id());
    attempt.values.push_back({ledger_name(key_), ledger_.encode()});
    // What is stored of the ledger later comes later. A log that keeps none calls its listener at once, who may wake
    // us.
    if (context_.log.appends_at_once()) lock.unlock();
    const auto result = try_append(context_.log, attempt, std::move(*append),
                                   [self = weak_from_this(), id = spent.id, stream](const store::AppendResult& ended) {
                                       if (const auto found = self.lock()) found->note_buried(id, *stream, ended);
                                   });
    if (lock.owns_lock()) lock.unlock();
    if (result) note_buried(spent.id, *stream, *result);
}

void DurableSubscription::note_buried(std::uint64_t id, Stream& stream, const store::AppendResult& result) {
    if (!result.error) {
        stream.last_id = result.first_ids.front();
        stream.note_published(true);
        count(context_.counters.events);
        stream.counts->events.add(1);
    }
    const std::lock_guard lock(mutex_);
    if (is_deleted_) return;
    if (result.error) {
        ledger_.return_spent(id, context_.now() + retry);
        store_ledger(nullptr);
    } else {
        ledger_.end_burial(id);
        tally(counts_.dead_letters, totals_.dead_letters);
        wake_starved();
    }
    schedule();
}

}  // namespace sluice::broker
