// The consumers of a durable subscription, and its feed.
#include <algorithm>
#include <iterator>

#include "broker/core/counters.hpp"
#include "broker/core/matching/registry.hpp"
#include "broker/core/replay/replay.hpp"
#include "broker/core/subscriptions/durable_subscription.hpp"

namespace sluice::broker {

namespace {

constexpr std::size_t shared_most = 16;  // deliveries at once to one of several consumers, so that all get some

}  // namespace

DurableSubscription::Attached DurableSubscription::attach(ConsumerKind kind, const Format& format, bool takes_over,
                                                          std::function<void()> wake) {
    Feed dropped;
    Attached attached;
    {
        const std::lock_guard lock(mutex_);
        const Ledger::Time now = context_.now();
        const auto is_open = [](const auto& each) { return each.second.state == ConsumerState::open; };
        if (std::any_of(consumers_.begin(), consumers_.end(), is_open)) {
            if (options_.share && format != format_) return {0, true};
            if (!options_.share && !takes_over) return {};
            if (!options_.share) {
                for (const auto& [number, place] : consumers_) ledger_.release(number, now);
                end_consumers(ConsumerState::taken_over);
            }
        }
        if (format != format_) dropped = take_feed();
        format_ = format;
        attached.consumer = ++last_consumer_;
        consumers_.emplace(attached.consumer, Place{kind, std::move(wake)});
        ask_due(now);
        schedule();
    }
    if (dropped) end_feed(dropped);
    return attached;
}

// They stay until they leave.
void DurableSubscription::end_consumers(ConsumerState state) {
    for (auto& [number, place] : consumers_) {
        place.state = state;
        place.wake();
    }
}

void DurableSubscription::leave(Ledger::Consumer consumer) noexcept {
    Feed dropped;
    {
        const std::lock_guard lock(mutex_);
        const auto found = consumers_.find(consumer);
        if (found == consumers_.end()) return;
        const Ledger::Time now = context_.now();
        const bool is_pulling = found->second.kind == ConsumerKind::pulling;
        consumers_.erase(found);
        if (!is_pulling) ledger_.release(consumer, now);
        if (consumers_.empty() && is_pulling) idle_since_ = now;
        if (consumers_.empty() && !is_pulling) dropped = take_feed();
        if (!is_pulling && !is_deleted_) store_ledger(nullptr);
        if (!consumers_.empty()) ask_due(now);
        wake_starved();  // they may have more now
        schedule();
    }
    if (dropped) end_feed(dropped);
}

DurableSubscription::Feed DurableSubscription::take_feed() {
    ++plan_;
    is_planned_ = false;
    if (!feed_) return nullptr;
    if (held_.empty())
        if (const auto decided = feed_->mailbox.note_decided(0)) ledger_.advance(*decided + 1);
    ledger_.give_up_fetching();
    fetching_ = 0;
    held_.clear();
    if (context_.log.durable_state() != nullptr) {  // what has been delivered is known now
        ledger_.lower_mark();
        stored_mark_ = asked_mark_ = ledger_.mark();
    }
    return std::exchange(feed_, nullptr);
}

void DurableSubscription::end_unused_feed() {
    Feed dropped;
    {
        const std::lock_guard lock(mutex_);
        if (!feed_ || !consumers_.empty()) return;
        dropped = take_feed();
        if (!is_deleted_) store_ledger(nullptr);
    }
    end_feed(dropped);
}

void DurableSubscription::renew_feed() {
    Feed dropped;
    {
        const std::lock_guard lock(mutex_);
        if (is_deleted_) return;
        dropped = take_feed();
        wake_all();  // one of them makes another
        schedule();
    }
    if (dropped) end_feed(dropped);
}

void DurableSubscription::end_feed(const Feed& feed) const noexcept {
    count(context_.counters.deliveries_unwritten, feed->mailbox.close());
    context_.registry.remove(feed);
    context_.replay.leave(*feed);
}

std::optional<DurableSubscription::FeedPlan> DurableSubscription::plan_feed() {
    const std::lock_guard lock(mutex_);
    if (feed_ || is_planned_ || is_deleted_) return std::nullopt;
    is_planned_ = true;
    return FeedPlan{++plan_, options_, format_};
}

bool DurableSubscription::prepare_feed(const FeedPlan& plan, Subscriber& feed) {
    const std::lock_guard lock(mutex_);
    if (plan.number != plan_) return false;
    feed.owner = this;
    feed.delivered_before = ledger_.loaded_mark();
    feed.told_drops = std::exchange(told_drops_, none_told);
    feed.mailbox.begin_replay(ledger_.next());
    return true;
}

bool DurableSubscription::set_feed(const FeedPlan& plan, Feed feed) {
    const std::lock_guard lock(mutex_);
    if (plan.number != plan_) return false;
    is_planned_ = false;
    feed_ = std::move(feed);
    if (consumers_.empty()) idle_since_ = context_.now();
    ask_due(context_.now());
    wake_all();
    schedule();
    return true;
}

void DurableSubscription::abandon_feed(const FeedPlan& plan) noexcept {
    const std::lock_guard lock(mutex_);
    if (plan.number != plan_) return;
    is_planned_ = false;
    wake_all();  // another consumer may make it
}

DurableSubscription::Taken DurableSubscription::take(Ledger::Consumer consumer, std::size_t most) {
    const std::lock_guard lock(mutex_);
    Taken taken;
    const auto found = consumers_.find(consumer);
    if (found == consumers_.end() || found->second.state != ConsumerState::open) {
        taken.state = found == consumers_.end() ? ConsumerState::deleted : found->second.state;
        return taken;
    }
    if (!feed_) {
        taken.state = ConsumerState::needs_feed;
        return taken;
    }
    taken.feed = feed_;
    std::vector<Delivery> unused;  // is not written
    if (consumers_.size() > 1) most = std::min(most, shared_most);
    take_again(consumer, most, taken, unused);
    take_new(consumer, most, taken, unused);
    feed_->mailbox.settled(unused);
    schedule();
    return taken;
}

void DurableSubscription::take_again(Ledger::Consumer consumer, std::size_t most, Taken& taken,
                                     std::vector<Delivery>& unused) {
    const Ledger::Time now = context_.now();
    bool has_changed = false;
    std::vector<Delivery> found = feed_->mailbox.take_again(most);
    if (!found.empty() && feed_->mailbox.wants_again()) context_.replay.request(feed_);  // it had no room for all
    for (Delivery& delivery : found) {
        if (delivery.kind == Delivery::Kind::withdrawn) {
            fetching_ -= std::min<std::size_t>(fetching_, 1);
            if (ledger_.drop(delivery.event->id)) tally(counts_.withdrawn, totals_.withdrawn);
            has_changed = true;
            unused.push_back(std::move(delivery));
        } else if (delivery.kind != Delivery::Kind::event) {
            tally_notice(delivery);
            taken.deliveries.push_back(std::move(delivery));
        } else {
            fetching_ -= std::min<std::size_t>(fetching_, 1);
            const bool is_wanted = ledger_.deliver_again(delivery.event->id, consumer, now) != 0;
            if (is_wanted) tally(counts_.redelivered, totals_.redelivered);
            has_changed = has_changed || is_wanted;
            (is_wanted ? taken.deliveries : unused).push_back(std::move(delivery));
        }
    }
    if (has_changed) store_ledger(nullptr);
    ask_due(now);
}

// Who shares a subscription may have an equal part of what may be unacknowledged.
std::size_t DurableSubscription::credit_of(Ledger::Consumer consumer) const {
    const std::size_t credit = ledger_.credit();
    if (consumers_.size() <= 1) return credit;
    const std::size_t part = (options_.prefetch + consumers_.size() - 1) / consumers_.size();
    return std::min(credit, part - std::min(part, ledger_.held_by(consumer)));
}

void DurableSubscription::take_new(Ledger::Consumer consumer, std::size_t most, Taken& taken,
                                   std::vector<Delivery>& unused) {
    const Ledger::Time now = context_.now();
    Mailbox& mailbox = feed_->mailbox;
    const std::size_t credit = credit_of(consumer);
    consumers_.find(consumer)->second.is_starved = credit == 0;
    const std::size_t room = std::min(credit, most - std::min(most, taken.deliveries.size()));
    if (room == 0) {
        taken.is_caught_up = credit == 0 && fetching_ == 0;
        return;
    }
    std::vector<Delivery> found = std::exchange(held_, {});
    if (found.empty()) {
        Mailbox::Taken of_mailbox = mailbox.take(room);
        if (of_mailbox.replaying) context_.replay.request(feed_);  // it reads while these are written
        taken.can_wait = of_mailbox.can_wait;
        taken.is_caught_up = of_mailbox.deliveries.empty() && !of_mailbox.replaying && fetching_ == 0;
        found = std::move(of_mailbox.deliveries);
    }
    std::size_t used = 0;
    for (std::size_t left = room; used < found.size() && left != 0; ++used) {
        Delivery& delivery = found[used];
        const std::uint64_t position = delivery.position();
        if (delivery.kind != Delivery::Kind::event) {
            tally_notice(delivery);
            taken.deliveries.push_back(std::move(delivery));
        } else {
            const std::uint64_t id = delivery.event->id;
            if (id > stored_mark_) {
                ask_mark(id);
                if (id > stored_mark_) break;
            }
            const std::uint32_t deliveries = ledger_.deliver(id, consumer, now);
            if (deliveries == 1) tally(counts_.delivered, totals_.delivered);
            if (deliveries > 1) tally(counts_.redelivered, totals_.redelivered);
            if (deliveries != 0) --left;
            (deliveries != 0 ? taken.deliveries : unused).push_back(std::move(delivery));
        }
        ledger_.advance(position + 1);
    }
    held_.assign(std::move_iterator(found.begin() + static_cast<std::ptrdiff_t>(used)),
                 std::move_iterator(found.end()));
}

void DurableSubscription::tally_notice(const Delivery& delivery) {
    if (delivery.kind == Delivery::Kind::gap)
        tally(counts_.gaps, totals_.gaps, delivery.gap_events);
    else
        tally(counts_.resets, totals_.resets);
}

void DurableSubscription::written(const Taken& taken) {
    taken.feed->mailbox.settled(taken.deliveries);
    count(context_.counters.deliveries_written, taken.deliveries.size());
    const std::lock_guard lock(mutex_);
    if (options_.ack != config::AckOption::none) return;
    std::size_t acknowledged = 0;
    for (const Delivery& delivery : taken.deliveries)
        if (delivery.kind == Delivery::Kind::event && ledger_.acknowledge(delivery.event->id)) ++acknowledged;
    if (acknowledged == 0) return;
    tally(counts_.acknowledged, totals_.acknowledged, acknowledged);
    wake_starved();
    store_ledger(nullptr);
}

void DurableSubscription::unwritten(const Taken& taken, std::span<const Delivery> deliveries) {
    const std::lock_guard lock(mutex_);
    if (feed_ != taken.feed) return;  // its end counts them
    feed_->mailbox.settled(deliveries);
    count(context_.counters.deliveries_unwritten, deliveries.size());
}

std::optional<std::uint64_t> DurableSubscription::note_decided(Ledger::Consumer consumer, std::uint64_t decided) {
    const std::lock_guard lock(mutex_);
    const auto found = consumers_.find(consumer);
    if (!feed_ || !held_.empty() || found == consumers_.end()) return std::nullopt;
    if (found->second.is_starved) return std::nullopt;  // it has not looked into the mailbox
    const auto id = feed_->mailbox.note_decided(decided);
    if (!id) return std::nullopt;
    ledger_.advance(*id + 1);
    return ledger_.all_with_consumers() ? id : std::nullopt;
}

}  // namespace sluice::broker
