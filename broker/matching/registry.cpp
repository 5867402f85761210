#include "broker/matching/registry.hpp"

#include <algorithm>
#include <utility>

#include "broker/base/thread_name.hpp"
#include "protocol/filter/attribute.hpp"

namespace sluice {

namespace {

std::size_t count_operators(const Disjunction& conjunctions) {
    std::vector<const Predicate*> distinct;
    for (const Conjunction& conjunction : conjunctions) {
        for (const Literal& literal : conjunction) {
            const Predicate& p = literal.predicate;
            const auto same = [&](const Predicate* other) { return *other == p; };
            if (p.measure && std::none_of(distinct.begin(), distinct.end(), same)) distinct.push_back(&p);
        }
    }
    return distinct.size();
}

}  // namespace

Subscription make_subscription(const std::string& stream, const std::string& canonical, Disjunction conjunctions) {
    if (!stream.empty()) {
        Attribute attribute;
        attribute.variable = "stream";
        const Literal literal{{to_string(attribute), Operator::equal, stream, 0}, false};
        for (Conjunction& conjunction : conjunctions) conjunction.push_back(literal);
    }
    // No stream name has a line feed, so that the parts can't run into each other.
    const std::size_t operators = count_operators(conjunctions);
    return {stream + '\n' + canonical, std::move(conjunctions), operators};
}

SubscriptionRegistry::SubscriptionRegistry(Settings settings, Fanout& fanout, ProgramSink sink)
    : settings_(std::move(settings)),
      fanout_(fanout),
      sink_(std::move(sink)),
      set_(make_subscription_set(settings_.engine)) {
    sink_(set_->compile(), program_number_);
    thread_ = std::thread([this] { run(); });
}

SubscriptionRegistry::~SubscriptionRegistry() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

Admission SubscriptionRegistry::add(std::shared_ptr<Subscriber> subscriber, std::vector<Subscription> subscriptions,
                                    std::function<void()> done) {
    std::size_t operators = 0;
    for (const Subscription& subscription : subscriptions) operators += subscription.operators;
    {
        const std::lock_guard lock(mutex_);
        if (size_ + subscriptions.size() > settings_.subscriptions_max) return Admission::too_many_subscriptions;
        if (operators > 0 && operators_ + operators > settings_.operators_max) return Admission::too_many_operators;
        size_ += subscriptions.size();
        operators_ += operators;
        additions_.push_back({std::move(subscriber), std::move(subscriptions), std::move(done)});
    }
    changed_.notify_all();
    return Admission::admitted;
}

void SubscriptionRegistry::remove(std::shared_ptr<Subscriber> subscriber) {
    subscriber->gone.store(true);
    {
        const std::lock_guard lock(mutex_);
        removals_.push_back(std::move(subscriber));
    }
    changed_.notify_all();
}

std::size_t SubscriptionRegistry::size() const {
    const std::lock_guard lock(mutex_);
    return size_;
}

std::size_t SubscriptionRegistry::distinct() const {
    const std::lock_guard lock(mutex_);
    return distinct_;
}

std::size_t SubscriptionRegistry::operators() const {
    const std::lock_guard lock(mutex_);
    return operators_;
}

void SubscriptionRegistry::run() {
    name_thread("sluiced subs");
    auto next_apply = std::chrono::steady_clock::now();
    std::unique_lock lock(mutex_);
    for (;;) {
        const bool changed = changed_.wait_for(
            lock, settings_.upkeep_interval, [this] { return stopping_ || !additions_.empty() || !removals_.empty(); });
        if (!changed) {
            lock.unlock();
            sink_(set_->compile(), ++program_number_);
            lock.lock();
            continue;
        }
        // A change after a pause is applied at once, those that come close behind it together.
        changed_.wait_until(lock, next_apply, [this] { return stopping_; });
        if (additions_.empty() && removals_.empty()) return;
        auto additions = std::exchange(additions_, {});
        auto removals = std::exchange(removals_, {});
        lock.unlock();
        apply(std::move(additions), removals);
        next_apply = std::chrono::steady_clock::now() + settings_.apply_delay;
        lock.lock();
    }
}

void SubscriptionRegistry::apply(std::vector<Addition> additions,
                                 const std::vector<std::shared_ptr<Subscriber>>& removals) {
    Fanout::Change change;
    Removed removed;
    for (Addition& addition : additions) apply_addition(addition, change);
    for (const auto& subscriber : removals) {
        const Removed r = apply_removal(*subscriber, change);
        removed.subscriptions += r.subscriptions;
        removed.operators += r.operators;
    }
    fanout_.apply(std::move(change));
    sink_(set_->compile(), ++program_number_);
    {
        const std::lock_guard lock(mutex_);
        size_ -= removed.subscriptions;
        operators_ -= removed.operators;
        distinct_ = entries_.size();
    }
    for (const Addition& addition : additions) addition.done();
}

void SubscriptionRegistry::apply_addition(Addition& addition, Fanout::Change& change) {
    addition.subscriber->first_program = program_number_ + 1;
    auto& held = held_[addition.subscriber.get()];
    for (std::size_t i = 0; i < addition.subscriptions.size(); ++i) {
        Subscription& subscription = addition.subscriptions[i];
        const auto [entry, is_new] = entries_.try_emplace(std::move(subscription.key));
        if (is_new) entry->second.id = set_->add(subscription.conjunctions);
        entry->second.operators = subscription.operators;
        ++entry->second.users;
        held.push_back(&*entry);
        change.gained.push_back({entry->second.id, {addition.subscriber, static_cast<std::uint32_t>(i)}});
    }
}

SubscriptionRegistry::Removed SubscriptionRegistry::apply_removal(const Subscriber& subscriber,
                                                                  Fanout::Change& change) {
    const auto held = held_.find(&subscriber);
    if (held == held_.end()) return {};
    Removed removed{held->second.size(), 0};
    for (Entries::value_type* entry : held->second) {
        removed.operators += entry->second.operators;
        change.lost.push_back(entry->second.id);
        if (--entry->second.users != 0) continue;
        set_->remove(entry->second.id);
        entries_.erase(entries_.find(entry->first));
    }
    held_.erase(held);
    return removed;
}

}  // namespace sluice
