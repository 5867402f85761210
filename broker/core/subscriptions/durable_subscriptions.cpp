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

constexpr std::chrono::hours wait_most{1};  // which adds to any time

}  // namespace

DurableSubscriptions::DurableSubscriptions(SubscriptionContext context) : context_(std::move(context)) {
    context_.schedule = [this](const DurableSubscriptionPtr& subscription, Time time) { schedule(subscription, time); };
}

DurableSubscriptions::~DurableSubscriptions() {
    stop();
    for (const auto& [name, subscription] : all_) subscription->close();
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
        for (const auto& [name, subscription] : all_) schedule(subscription, context_.now());
    }
    thread_ = std::thread([this] { run(); });
}

void DurableSubscriptions::restore(const Parse& parse) {
    store::DurableState* const durable = context_.log.durable_state();
    if (durable == nullptr) return;
    std::map<std::string, std::string, std::less<>> texts, ledgers;
    for (store::NamedValue& each : durable->values()) {
        const std::string_view name = each.name;
        if (name.starts_with(stored_options))
            texts.emplace(name.substr(stored_options.size()), std::move(*each.value));
        else if (name.starts_with(stored_ledger))
            ledgers.emplace(name.substr(stored_ledger.size()), std::move(*each.value));
    }
    const std::lock_guard lock(mutex_);
    for (auto& [name, text] : texts) {
        const auto options = parse(text);
        const auto stored = ledgers.find(name);
        if (!options || stored == ledgers.end()) {
            base::log_error("the store has a subscription that can't be read, and leaves it alone", {{"name", name}});
            continue;
        }
        const Ledger::Settings settings = DurableSubscription::ledger_settings(*options);
        auto ledger = Ledger::decode(settings, stored->second);
        if (!ledger) {  // all that its streams have: repeating is safer than missing
            base::log_error("the position of a subscription can't be read, it begins again", {{"name", name}});
            ledger.emplace(settings, 0);
        }
        all_.emplace(
            name, std::make_shared<DurableSubscription>(context_, name, *options, std::move(text), std::move(*ledger)));
    }
}

DurableSubscriptions::Defined DurableSubscriptions::define(const std::string& name, Definition definition,
                                                           Stored stored) {
    DurableSubscriptionPtr subscription;
    {
        const std::lock_guard lock(mutex_);
        const auto found = all_.find(name);
        if (found != all_.end()) {
            subscription = found->second;
        } else {
            if (definition.expected.value_or(0) != 0) return {Outcome::unexpected, nullptr};
            if (all_.size() >= context_.subscriptions_max) return {Outcome::too_many, nullptr};
            Ledger ledger(DurableSubscription::ledger_settings(definition.options), definition.next);
            subscription = std::make_shared<DurableSubscription>(context_, name, std::move(definition.options),
                                                                 std::move(definition.text), std::move(ledger));
            all_.emplace(name, subscription);
            subscription->begin(definition.told_drops, std::move(stored));
            return {Outcome::added, std::move(subscription)};
        }
    }
    if (!subscription->set_options(definition.options, std::move(definition.text), definition.expected,
                                   std::move(stored)))
        return {Outcome::unexpected, nullptr};
    return {Outcome::changed, std::move(subscription)};
}

DurableSubscriptions::Erased DurableSubscriptions::erase(std::string_view name, std::optional<std::uint64_t> expected,
                                                         Stored stored) {
    DurableSubscriptionPtr subscription;
    {
        const std::lock_guard lock(mutex_);
        const auto found = all_.find(name);
        if (found == all_.end()) return Erased::none;
        subscription = found->second;
        if (!subscription->erase(expected, std::move(stored))) return Erased::unexpected;
        all_.erase(found);
    }
    return Erased::done;
}

DurableSubscriptionPtr DurableSubscriptions::find(std::string_view name) const {
    const std::lock_guard lock(mutex_);
    const auto found = all_.find(name);
    return found == all_.end() ? nullptr : found->second;
}

std::vector<DurableSubscriptionPtr> DurableSubscriptions::list(std::string_view after, std::size_t most) const {
    std::vector<DurableSubscriptionPtr> some;
    const std::lock_guard lock(mutex_);
    for (auto at = all_.upper_bound(after); at != all_.end() && some.size() < most; ++at) some.push_back(at->second);
    return some;
}

std::size_t DurableSubscriptions::size() const {
    const std::lock_guard lock(mutex_);
    return all_.size();
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
    std::unique_lock lock(schedule_mutex_);
    while (!stopping_) {
        const Time now = context_.now();
        if (schedule_.empty())
            scheduled_.wait(lock);
        else if (const Time first = schedule_.begin()->first; first > now)
            scheduled_.wait_for(lock, std::min<Ledger::Duration>(first - now, wait_most));
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
    for (const auto& [name, subscription] : all_) subscription->end_unused_feed();
}

void DurableSubscriptions::clock_moved() { look(context_.now()); }

}  // namespace sluice::broker
