#include "broker/core/subscriptions/durable_subscription.hpp"

#include <algorithm>
#include <iterator>

#include "broker/base/log.hpp"
#include "broker/core/counters.hpp"
#include "broker/core/matching/registry.hpp"
#include "broker/core/replay/replay.hpp"
#include "broker/core/subscriptions/stored_names.hpp"
#include "broker/store/event_log.hpp"
#include "protocol/text/digest.hpp"

namespace sluice::broker {

namespace {

constexpr std::uint64_t all_ids = ~std::uint64_t{0};

// The same after a restart, so that nobody's If-Match holds by accident. Never 0.
std::uint64_t version_of(std::string_view text) { return text::digest(text)[0] >> 11 | 1; }
}  // namespace

DurableSubscription::DurableSubscription(const SubscriptionContext& context, SubscriptionKey key,
                                         config::SubscriptionOptions options, std::string text, Ledger ledger)
    : context_(context),
      totals_(context.counters.durable),
      key_(std::move(key)),
      options_(std::move(options)),
      selection_(std::make_shared<const text::StreamSelection>(options_.streams)),
      text_(std::move(text)),
      version_(version_of(text_)),
      ledger_(std::move(ledger)),
      stored_mark_(context.log.durable_state() == nullptr ? all_ids : ledger_.mark()),
      asked_mark_(stored_mark_) {
    hold_streams();
}

Ledger::Settings DurableSubscription::ledger_settings(const config::SubscriptionOptions& options) {
    Ledger::Settings settings;
    settings.ack_wait = options.ack == config::AckOption::none ? Ledger::Duration::max() : options.ack_wait;
    settings.prefetch = options.prefetch;
    settings.deliveries_max = options.max_deliver;
    settings.has_dead_letters = !options.dead_letter.empty();
    settings.in_order = options.ack == config::AckOption::cumulative;
    return settings;
}

DurableSubscription::State DurableSubscription::state() const {
    const std::lock_guard lock(mutex_);
    return {key_,   options_, version_, ledger_.cursor(), ledger_.next(), ledger_.outstanding(), consumers_.size(),
            counts_};
}

DurableSubscription::Figures DurableSubscription::figures() const {
    const std::lock_guard lock(mutex_);
    return {selection_, ledger_.cursor(), ledger_.outstanding(), consumers_.size(), counts_};
}

store::Hold DurableSubscription::hold() const {
    const std::lock_guard lock(mutex_);
    return {ledger_.cursor() + 1, is_deleted_ ? 0 : options_.hold_bytes};
}

bool DurableSubscription::set_options(const config::SubscriptionOptions& options, std::string text,
                                      std::optional<std::uint64_t> expected, Stored stored) {
    Feed dropped;
    {
        const std::lock_guard lock(mutex_);
        if (is_deleted_ || (expected && *expected != version_)) return false;
        const bool is_same_feed = options.streams == options_.streams && options.filters == options_.filters;
        options_ = options;
        text_ = std::move(text);
        version_ = version_of(text_);
        ledger_.set(ledger_settings(options_));
        selection_ = std::make_shared<const text::StreamSelection>(options_.streams);
        hold_streams();
        if (!is_same_feed) dropped = take_feed();
        wake_all();
        schedule();
        put({{options_name(key_), text_}, {ledger_name(key_), ledger_.encode()}}, std::move(stored));
    }
    if (dropped) end_feed(dropped);
    return true;
}

void DurableSubscription::hold_streams() {
    std::vector<StreamHold> holds;
    for (const std::string& stream : selection_->names()) holds.emplace_back(context_.streams, stream);
    if (!options_.dead_letter.empty()) holds.emplace_back(context_.streams, options_.dead_letter);
    holds_.swap(holds);
}

bool DurableSubscription::erase(std::optional<std::uint64_t> expected, Stored stored) {
    Feed dropped;
    {
        const std::lock_guard lock(mutex_);
        if (is_deleted_ || (expected && *expected != version_)) return false;
        is_deleted_ = true;
        dropped = take_feed();
        end_consumers(ConsumerState::deleted);
        holds_.clear();
        put({{options_name(key_), std::nullopt}, {ledger_name(key_), std::nullopt}}, std::move(stored));
    }
    if (dropped) end_feed(dropped);
    return true;
}

void DurableSubscription::close() {
    Feed dropped;
    std::vector<StreamHold> holds;
    {
        const std::lock_guard lock(mutex_);
        is_deleted_ = true;
        dropped = take_feed();
        holds.swap(holds_);
    }
    if (dropped) end_feed(dropped);
}

void DurableSubscription::begin(std::uint64_t told_drops, Stored stored) {
    const std::lock_guard lock(mutex_);
    told_drops_ = told_drops;
    put({{options_name(key_), text_}, {ledger_name(key_), ledger_.encode()}}, std::move(stored));
}

void DurableSubscription::seek(std::uint64_t next, Stored stored) {
    Feed dropped;
    {
        const std::lock_guard lock(mutex_);
        dropped = take_feed();
        ledger_.seek(next);
        if (context_.log.durable_state() != nullptr) stored_mark_ = asked_mark_ = ledger_.mark();
        wake_all();
        store_ledger(std::move(stored));
    }
    if (dropped) end_feed(dropped);
}

Acknowledged DurableSubscription::acknowledge(const Acknowledgement& what, Stored stored) {
    if (context_.at_point) context_.at_point("ack.begin");
    const std::lock_guard lock(mutex_);
    const Ledger::Time now = context_.now();
    Acknowledged done;
    const auto note = [&](std::uint64_t id, bool is_known, std::size_t& count) {
        if (is_known)
            ++count;
        else
            done.not_known.push_back(id);
    };
    for (const std::uint64_t id : what.ids) note(id, ledger_.acknowledge(id), done.acknowledged);
    if (what.up_to) done.acknowledged += ledger_.acknowledge_up_to(*what.up_to);
    for (const Acknowledgement::Rejection& each : what.rejected)
        note(each.id, ledger_.reject(each.id, each.deliveries, each.reason, now + each.delay), done.rejected);
    for (const Acknowledgement::Extension& each : what.extended)
        note(each.id, ledger_.extend(each.id, each.deliveries, now + each.by.value_or(options_.ack_wait)),
             done.extended);
    tally(counts_.acknowledged, totals_.acknowledged, done.acknowledged);
    tally(counts_.rejected, totals_.rejected, done.rejected);
    done.cursor = ledger_.cursor();
    if (done.acknowledged != 0 || done.rejected != 0) wake_starved();
    if (done.rejected != 0) ask_due(now);
    schedule();
    if (context_.at_point) {
        const auto point = context_.at_point;
        stored = [point, stored = std::move(stored)](std::optional<store::AppendError> error) {
            point("ack.stored");
            if (stored) stored(error);
        };
    }
    store_ledger(std::move(stored));
    return done;
}

void DurableSubscription::store_ledger(Stored stored) {
    if (is_deleted_) {
        if (stored) stored(std::nullopt);
        return;
    }
    put({{ledger_name(key_), ledger_.encode()}}, std::move(stored));
}

void DurableSubscription::put(std::vector<store::NamedValue> values, Stored stored) {
    if (store::DurableState* const durable = context_.log.durable_state())
        durable->put(std::move(values), std::move(stored));
    else if (stored)
        stored(std::nullopt);
}

// Events up to some way beyond this id may then be delivered, once it is stored that they may have been.
void DurableSubscription::ask_mark(std::uint64_t id) {
    constexpr std::uint64_t ids_ahead = 65'536;
    if (id <= asked_mark_) return;
    asked_mark_ = id + ids_ahead;
    ledger_.set_mark(asked_mark_);
    store_ledger([self = weak_from_this(), mark = asked_mark_](std::optional<store::AppendError> error) {
        if (const auto subscription = self.lock()) subscription->note_mark(mark, !error);
    });
}

void DurableSubscription::note_mark(std::uint64_t mark, bool is_stored) {
    const std::lock_guard lock(mutex_);
    if (mark != asked_mark_) return;
    if (is_stored)
        stored_mark_ = mark;
    else
        asked_mark_ = stored_mark_;  // look() asks again
    if (is_stored) wake_all();
    schedule();
}

void DurableSubscription::wake_consumers() {
    const std::lock_guard lock(mutex_);
    wake_all();
}

void DurableSubscription::wake_starved() {
    for (auto& [number, place] : consumers_)
        if (std::exchange(place.is_starved, false)) place.wake();
}

void DurableSubscription::wake_all() {
    for (const auto& [number, place] : consumers_) place.wake();
}

}  // namespace sluice::broker
