#include "broker/core/matching/fanout.hpp"

#include <algorithm>
#include <bit>
#include <exception>
#include <utility>

#include "broker/base/log.hpp"
#include "broker/core/delivery/delivery_counts.hpp"
#include "broker/core/matching/costly_log.hpp"
#include "gpu/check/check.hpp"

namespace sluice::broker {

namespace {

// For a subscriber of all streams. An event that overtakes those of other streams says so.
void order(const Subscriber& subscriber, std::uint64_t decided_id, std::vector<Delivery>& deliveries) {
    const auto by_id = [](const Delivery& a, const Delivery& b) { return a.event->id < b.event->id; };
    if (!std::is_sorted(deliveries.begin(), deliveries.end(), by_id))  // sorting allocates, even for one
        std::stable_sort(deliveries.begin(), deliveries.end(), by_id);
    for (Delivery& delivery : deliveries) {
        if (delivery.event->id <= decided_id) continue;
        delivery.decided_id = decided_id;
        delivery.bytes = subscriber.framer.bytes(delivery);
    }
}

}  // namespace

Fanout::Slot* Fanout::find(engine::SubscriptionId id) {
    if (id.slot >= slots_.size() || slots_[id.slot].generation != id.generation) return nullptr;
    return &slots_[id.slot];
}

void Fanout::apply(Change&& change) {
    const std::lock_guard lock(mutex_);
    for (auto& [id, target] : change.gained) {
        if (id.slot >= slots_.size()) slots_.resize(std::max<std::size_t>(id.slot + 1, slots_.size() * 2));
        Slot& slot = slots_[id.slot];
        if (slot.generation != id.generation) {
            targets_ -= slot.targets.size();
            slot = {id.generation, {}};
        }
        if (target.subscriber->stream.empty()) serves_all_streams_ = true;
        slot.targets.push_back(std::move(target));
        ++targets_;
    }
    for (const engine::SubscriptionId id : change.lost) lose_locked(id);
}

void Fanout::lose(engine::SubscriptionId id) {
    const std::lock_guard lock(mutex_);
    lose_locked(id);
}

void Fanout::lose_locked(engine::SubscriptionId id) {
    Slot* slot = find(id);
    if (slot == nullptr) return;
    targets_ -= std::erase_if(slot->targets, [](const Target& t) { return t.subscriber->gone.load(); });
}

Collected Fanout::collect(const Outcome& outcome) {
    Collected collected;
    const std::lock_guard lock(mutex_);
    const std::uint64_t batch = ++last_batch_;
    const auto add = [&](const engine::Match& match, GapReason undecided) {
        Slot* slot = find(match.subscription);
        if (slot == nullptr) return;
        for (const Target& target : slot->targets) {
            Subscriber& subscriber = *target.subscriber;
            const std::uint64_t first_id = subscriber.first_id.load(std::memory_order_relaxed);
            for (std::uint32_t bits = match.accepted; bits != 0; bits &= bits - 1) {
                const auto event = match.word * 32 + static_cast<std::uint32_t>(std::countr_zero(bits));
                SLUICE_CHECK(event < outcome.events.size());
                if (outcome.events[event].id < first_id) continue;
                if (subscriber.last_batch != batch) {
                    subscriber.place_in_batch = collected.add(target.subscriber);
                    subscriber.last_batch = batch;
                }
                collected.add(subscriber.place_in_batch, {event, target.filter, undecided});
            }
        }
    };
    for (const GapReason undecided : {GapReason::none, GapReason::over_budget}) {
        for (const engine::Match& match : undecided == GapReason::none ? outcome.matches : outcome.undecided) {
            add(match, undecided);
            if (collected.memory_bytes() > found_bytes_max && outcome.events.size() > 1) throw TooManyFound();
        }
    }
    return collected;
}

PreparedBatch Fanout::prepare(const Outcome& outcome) {
    StageTimer collecting(counters_.stages, Stage::fan_out);
    Collected collected = collect(outcome);
    if (!outcome.undecided.empty()) collected.withhold_undecided(outcome.events, outcome.rows);
    collected.sort(outcome.events.size());
    collecting.end();
    const StageTimer rendering(counters_.stages, Stage::render);
    return PreparedBatch(outcome.events, outcome.values, std::move(collected), undecided_, memory_);
}

// The conditions that are scanned are named where they are evaluated (match_counts.cpp). Of computed ones, the engine
// reports only that a filter is undecided.
void Fanout::name_undecided(const Subscriber& subscriber, std::uint32_t filter, std::uint64_t events) {
    const auto found = std::find_if(subscriber.computed.begin(), subscriber.computed.end(),
                                    [&](const auto& computed) { return computed.first == filter; });
    if (found == subscriber.computed.end()) return;
    const std::string name = "filter " + found->second;
    if (counters_.costly_conditions.add(name, {.undecided = events})) warn_of_budget(name);
}

void Fanout::name_undecided(const Subscriber& subscriber, const PreparedBatch::Made& made) noexcept {
    if (subscriber.computed.empty()) return;
    try {
        for (const Delivery& gap : made.deliveries)
            if (gap.kind == Delivery::Kind::gap) name_undecided(subscriber, gap.filters.front(), gap.gap_events);
        if (made.end && made.end->kind == EndReason::Kind::slow_filter) name_undecided(subscriber, made.end->filter, 1);
    } catch (const std::exception& error) {
        base::log_failure("a filter over its budget was not named", error.what());
    }
}

void Fanout::deliver_to(Subscriber& subscriber, PreparedBatch::Made made, std::uint64_t decided_id) {
    if (made.deliveries.empty() && !made.end) return;  // all of it is withheld
    name_undecided(subscriber, made);
    if (subscriber.stream.empty()) order(subscriber, decided_id, made.deliveries);
    const DeliveryCounts counts(counters_, subscriber, made.deliveries);
    const auto [accepted, overflowed_now] = subscriber.mailbox.push(std::move(made.deliveries), made.is_wide);
    if (overflowed_now) count(counters_.slow_consumers);
    if (!accepted) return;
    counts.add();
    if (made.undecided != 0) count(counters_.gaps, made.undecided);
    if (!made.end) return;
    count(counters_.slow_filters);
    subscriber.mailbox.finish(std::move(made.end));
}

void Fanout::deliver(PreparedBatch& batch, std::uint64_t decided_id) {
    const StageTimer delivering(counters_.stages, Stage::fan_out);
    std::exception_ptr failure;
    for (std::size_t s = 0; s < batch.size(); ++s) {
        Subscriber& subscriber = batch.subscriber(s);
        if (subscriber.gone || subscriber.mailbox.state() != Mailbox::State::open) continue;
        try {
            deliver_to(subscriber, batch.take(s), decided_id);
        } catch (const std::exception&) {
            failure = std::current_exception();
            lose(subscriber);
        }
    }
    if (failure) std::rethrow_exception(failure);
}

void Fanout::lose(Subscriber& subscriber) const noexcept {
    if (replays_end_)
        subscriber.mailbox.finish(EndReason{EndReason::Kind::undelivered});
    else
        subscriber.mailbox.lose();
}

void Fanout::end_undelivered(const std::string& stream) noexcept {
    const std::lock_guard lock(mutex_);
    for (const Slot& slot : slots_) {
        for (const Target& target : slot.targets) {
            Subscriber& subscriber = *target.subscriber;
            if (subscriber.selection().matches(stream)) lose(subscriber);
        }
    }
}

}  // namespace sluice::broker
