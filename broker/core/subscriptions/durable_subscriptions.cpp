#include "broker/core/subscriptions/durable_subscriptions.hpp"

#include <algorithm>
#include <exception>
#include <iterator>

#include "broker/base/log.hpp"
#include "broker/base/thread_name.hpp"
#include "broker/core/subscriptions/stored_names.hpp"
#include "broker/store/event_log.hpp"

namespace sluice::broker {

namespace {

constexpr Ledger::Duration holds_interval = std::chrono::seconds(1);  // between looks at what is to be held
constexpr Ledger::Duration wait_most = std::chrono::hours(1);         // which adds to any time

}  // namespace

DurableSubscriptions::DurableSubscriptions(SubscriptionContext context) : context_(std::move(context)) {
    context_.schedule = [this](const DurableSubscriptionPtr& subscription, Time time) { schedule(subscription, time); };
}

DurableSubscriptions::~DurableSubscriptions() {
    stop();
    for (const auto& [key, subscription] : all_) subscription->close();
}

void DurableSubscriptions::stop() {
    {
        const std::lock_guard lock(schedule_mutex_);
        stopping_ = true;
    }
    scheduled_.notify_all();
    if (thread_.joinable()) thread_.join();
}

void DurableSubscriptions::start() {
    {  // what was outstanding may have become dead letters
        const std::lock_guard lock(mutex_);
        for (const auto& [key, subscription] : all_) schedule(subscription, context_.now());
    }
    thread_ = std::thread([this] { run(); });
}

void DurableSubscriptions::restore(const Parse& parse) {
    store::DurableState* const durable = context_.log.durable_state();
    if (durable == nullptr) return;
    Values texts, ledgers;
    for (store::NamedValue& each : durable->values()) {
        const std::string_view name = each.name;
        if (name.starts_with(stored_options))
            take_value(texts, name.substr(stored_options.size()), each);
        else if (name.starts_with(stored_ledger))
            take_value(ledgers, name.substr(stored_ledger.size()), each);
    }
    std::vector<std::string> streams;
    for (const store::StoredStream& stream : durable->streams()) streams.push_back(stream.name);
    add_stored(texts, ledgers, parse);
    keep_holds(streams);
}

void DurableSubscriptions::take_value(Values& into, std::string_view behind, store::NamedValue& value) {
    if (auto key = stored_key(behind))
        into.emplace(std::move(*key), std::move(*value.value));
    else
        base::log_error("the store has a value of no subscription, and leaves it alone", {{"name", value.name}});
}

void DurableSubscriptions::add_stored(Values& texts, const Values& ledgers, const Parse& parse) {
    const std::lock_guard lock(mutex_);
    for (auto& [key, text] : texts) {
        const auto options = parse(text);
        const auto stored = ledgers.find(key);
        if (!options || stored == ledgers.end()) {
            base::log_error("the store has a subscription that can't be read, and leaves it alone",
                            {{"name", key.name}, {"owner", key.owner}});
            continue;
        }
        const Ledger::Settings settings = DurableSubscription::ledger_settings(*options);
        auto ledger = Ledger::decode(settings, stored->second);
        if (!ledger) {  // all that its streams have: repeating is safer than missing
            base::log_error("the position of a subscription can't be read, it begins again",
                            {{"name", key.name}, {"owner", key.owner}});
            ledger.emplace(settings, 0);
        }
        all_.emplace(
            key, std::make_shared<DurableSubscription>(context_, key, *options, std::move(text), std::move(*ledger)));
    }
}

DurableSubscriptions::Defined DurableSubscriptions::define(const SubscriptionKey& key, Definition definition,
                                                           Stored stored) {
    const bool holds = definition.options.hold_bytes != 0 || has_holds_;
    const Defined defined = add_or_change(key, std::move(definition), std::move(stored));
    if (holds) keep_holds(context_.streams.names());
    return defined;
}

DurableSubscriptions::Defined DurableSubscriptions::add_or_change(const SubscriptionKey& key, Definition definition,
                                                                  Stored stored) {
    DurableSubscriptionPtr subscription;
    {
        const std::lock_guard lock(mutex_);
        const auto found = all_.find(key);
        if (found != all_.end()) {
            subscription = found->second;
        } else {
            if (definition.expected.value_or(0) != 0) return {Outcome::unexpected, nullptr};
            if (all_.size() >= context_.subscriptions_max) return {Outcome::too_many, nullptr};
            Ledger ledger(DurableSubscription::ledger_settings(definition.options), definition.next);
            subscription = std::make_shared<DurableSubscription>(context_, key, std::move(definition.options),
                                                                 std::move(definition.text), std::move(ledger));
            all_.emplace(key, subscription);
            subscription->begin(definition.told_drops, std::move(stored));
            return {Outcome::added, std::move(subscription)};
        }
    }
    if (!subscription->set_options(definition.options, std::move(definition.text), definition.expected,
                                   std::move(stored)))
        return {Outcome::unexpected, nullptr};
    return {Outcome::changed, std::move(subscription)};
}

DurableSubscriptions::Erased DurableSubscriptions::erase(const SubscriptionKey& key,
                                                         std::optional<std::uint64_t> expected, Stored stored) {
    DurableSubscriptionPtr subscription;
    {
        const std::lock_guard lock(mutex_);
        const auto found = all_.find(key);
        if (found == all_.end()) return Erased::none;
        subscription = found->second;
        if (!subscription->erase(expected, std::move(stored))) return Erased::unexpected;
        all_.erase(found);
    }
    if (has_holds_) keep_holds(context_.streams.names());
    return Erased::done;
}

DurableSubscriptionPtr DurableSubscriptions::find(const SubscriptionKey& key) const {
    const std::lock_guard lock(mutex_);
    const auto found = all_.find(key);
    return found == all_.end() ? nullptr : found->second;
}

std::vector<DurableSubscriptionPtr> DurableSubscriptions::list(const SubscriptionKey& after, std::size_t most) const {
    std::vector<DurableSubscriptionPtr> some;
    const std::lock_guard lock(mutex_);
    for (auto at = all_.upper_bound(after); at != all_.end() && some.size() < most; ++at) some.push_back(at->second);
    return some;
}

std::vector<DurableSubscriptionPtr> DurableSubscriptions::list_of_owner(const SubscriptionKey& after,
                                                                        std::size_t most) const {
    std::vector<DurableSubscriptionPtr> some;
    const std::lock_guard lock(mutex_);
    const auto end = of_owner(after.owner).second;
    for (auto at = all_.upper_bound(after); at != end && some.size() < most; ++at) some.push_back(at->second);
    return some;
}

std::size_t DurableSubscriptions::size() const {
    const std::lock_guard lock(mutex_);
    return all_.size();
}

std::size_t DurableSubscriptions::size_of_owner(std::string_view owner) const {
    const std::lock_guard lock(mutex_);
    const auto [begin, end] = of_owner(owner);
    return static_cast<std::size_t>(std::distance(begin, end));
}

// No name is empty.
std::pair<DurableSubscriptions::All::const_iterator, DurableSubscriptions::All::const_iterator>
DurableSubscriptions::of_owner(std::string_view owner) const {
    const auto begin = all_.upper_bound({std::string(owner), {}});
    auto end = all_.upper_bound({std::string(owner) + '\0', {}});
    return {begin, end};
}

void DurableSubscriptions::rights_changed(std::string_view owner) {
    std::vector<DurableSubscriptionPtr> of_theirs;
    {
        const std::lock_guard lock(mutex_);
        const auto [begin, end] = of_owner(owner);
        for (auto at = begin; at != end; ++at) of_theirs.push_back(at->second);
    }
    for (const DurableSubscriptionPtr& subscription : of_theirs) subscription->renew_feed();
}

// Of several subscriptions, what the last one needs, and the most that any may hold: of streams that its owner may
// manage now.
DurableSubscriptions::Holds DurableSubscriptions::wanted_holds(const std::vector<std::string>& streams) const {
    Holds wanted;
    const std::lock_guard lock(mutex_);
    for (const auto& [key, subscription] : all_) {
        const store::Hold hold = subscription->hold();
        if (hold.bytes == 0) continue;
        wanted.is_any_wanted = true;
        const bool is_owned = !key.owner.empty() && context_.find_user;
        const auth::UserPtr owner = is_owned ? context_.find_user(key.owner) : auth::everybody();
        const auto add = [&](const std::string& stream) {
            if (!owner->rights.may_manage(stream)) return;
            store::Hold& united = wanted.of_streams.emplace(stream, hold).first->second;
            united = {std::min(united.first_id, hold.first_id), std::max(united.bytes, hold.bytes)};
        };
        const auto streams_of = subscription->figures().streams;
        const text::StreamSelection& selection = *streams_of;
        for (const std::string& stream : selection.names()) add(stream);
        if (!selection.is_all() && selection.prefixes().empty()) continue;
        for (const std::string& stream : streams)
            if (selection.matches(stream)) add(stream);
    }
    return wanted;
}

// Tells the log which of these streams' events to hold back from retention.
void DurableSubscriptions::keep_holds(const std::vector<std::string>& streams) {
    const std::lock_guard lock(holds_mutex_);
    Holds wanted = wanted_holds(streams);
    for (const auto& [stream, hold] : wanted.of_streams) {
        const auto known = holds_.find(stream);
        if (known == holds_.end() || known->second != hold) context_.log.hold(stream, hold);
    }
    for (const auto& [stream, hold] : holds_)
        if (!wanted.of_streams.contains(stream)) context_.log.hold(stream, {});
    holds_ = std::move(wanted.of_streams);
    const std::lock_guard schedule_lock(schedule_mutex_);
    if (has_holds_.exchange(wanted.is_any_wanted) != wanted.is_any_wanted) scheduled_.notify_all();
}

void DurableSubscriptions::schedule(const DurableSubscriptionPtr& subscription, Time time) {
    const std::lock_guard lock(schedule_mutex_);
    const bool is_first = schedule_.empty() || time < schedule_.begin()->first;
    schedule_.emplace(time, subscription);
    if (is_first) scheduled_.notify_all();
}

std::vector<DurableSubscriptionPtr> DurableSubscriptions::take_scheduled(Time now) {
    std::vector<DurableSubscriptionPtr> taken;
    const auto end = schedule_.upper_bound(now);
    for (auto at = schedule_.begin(); at != end; ++at)
        if (auto subscription = at->second.lock()) taken.push_back(std::move(subscription));
    schedule_.erase(schedule_.begin(), end);
    return taken;
}

void DurableSubscriptions::run() {
    base::name_thread("sluiced subs");
    Time next_holds{};
    std::unique_lock lock(schedule_mutex_);
    while (!stopping_) {
        const Time now = context_.now();
        if (has_holds_ && now >= next_holds) {
            next_holds = now + holds_interval;
            lock.unlock();
            keep_holds(context_.streams.names());
            lock.lock();
            continue;
        }
        if (schedule_.empty() && !has_holds_)
            scheduled_.wait(lock);
        else if (schedule_.empty())
            scheduled_.wait_for(lock, holds_interval);
        else if (const Time first = schedule_.begin()->first; first > now)
            scheduled_.wait_for(lock, std::min<Ledger::Duration>(first - now, has_holds_ ? holds_interval : wait_most));
        else {
            lock.unlock();
            look(now);
            lock.lock();
        }
    }
}

void DurableSubscriptions::look(Time now) {
    std::vector<DurableSubscriptionPtr> due;
    {
        const std::lock_guard lock(schedule_mutex_);
        due = take_scheduled(now);
    }
    for (const DurableSubscriptionPtr& subscription : due) {
        try {
            if (const auto next = subscription->look(now)) schedule(subscription, *next);
        } catch (const std::exception& error) {
            base::log_failure("a subscription can't be looked after for now", error.what());
            schedule(subscription, now + std::chrono::seconds(1));
        }
    }
}

void DurableSubscriptions::end_feeds() {
    const std::lock_guard lock(mutex_);
    for (const auto& [key, subscription] : all_) subscription->end_unused_feed();
}

void DurableSubscriptions::clock_moved() {
    look(context_.now());
    if (has_holds_) keep_holds(context_.streams.names());
}
}  // namespace sluice::broker
