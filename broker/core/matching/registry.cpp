#include "broker/core/matching/registry.hpp"

#include <algorithm>
#include <utility>

#include "broker/base/log.hpp"
#include "broker/base/thread_name.hpp"

namespace sluice::broker {

SubscriptionRegistry::SubscriptionRegistry(Settings settings, Fanout& fanout, ProgramSink sink)
    : settings_(std::move(settings)),
      fanout_(fanout),
      sink_(std::move(sink)),
      set_(engine::make_subscription_set(settings_.engine)) {
    if (base::MemoryBudget* const memory = settings_.memory) {
        engine_memory_ = memory->force_charge(base::MemoryUse::filters, 0);
        set_->ask_for_room([memory](std::size_t bytes) {
            return memory->used() + bytes <= memory->ceiling(base::MemoryUse::overhead);
        });
    }
    sink_(set_->compile());
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
    const std::size_t n = subscriptions.size();
    std::size_t operators = 0;
    for (const Subscription& subscription : subscriptions) operators += subscription.operators;
    Additions addition;
    addition.push_back({std::move(subscriber), std::move(subscriptions), std::move(done), operators});
    {
        const std::lock_guard lock(mutex_);
        if (size_ + n > settings_.subscriptions_max) return Admission::too_many_subscriptions;
        if (operators > 0 && operators_ + operators > settings_.operators_max) return Admission::too_many_operators;
        additions_.splice(additions_.end(), addition);
        size_ += n;
        operators_ += operators;
    }
    changed_.notify_all();
    return Admission::admitted;
}

void SubscriptionRegistry::remove(std::shared_ptr<Subscriber> subscriber) noexcept {
    subscriber->gone.store(true);
    {
        const std::lock_guard lock(mutex_);
        subscriber->next_gone = std::move(removals_);
        removals_ = std::move(subscriber);
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
    base::name_thread("sluiced subs");
    auto next_apply = std::chrono::steady_clock::now();
    std::unique_lock lock(mutex_);
    for (;;) {
        const bool changed = changed_.wait_for(lock, settings_.upkeep_interval, [this] { return has_work(); });
        if (!changed) {
            lock.unlock();
            publish_program();
            lock.lock();
            continue;
        }
        // The first change after a pause is applied at once; those that follow closely are applied together.
        changed_.wait_until(lock, next_apply, [this] { return stopping_; });
        if (additions_.empty() && removals_ == nullptr && !has_rest_) return;  // stopping
        Additions additions = std::exchange(additions_, {});
        SubscriberPtr removals = leaving_ == nullptr ? std::exchange(removals_, {}) : nullptr;
        lock.unlock();
        const auto begin = std::chrono::steady_clock::now();
        apply_round(std::move(additions), std::move(removals));
        // After a long change, pause for as long as it took, to leave CPU time to other threads.
        const auto end = std::chrono::steady_clock::now();
        next_apply = end + std::max<std::chrono::steady_clock::duration>(settings_.apply_delay, end - begin);
        lock.lock();
    }
}

// Returns false if there is no memory for a new program; the former one stays in use.
bool SubscriptionRegistry::publish_program() {
    try {
        std::shared_ptr<const engine::Program> program = set_->compile();
        charge(*program);
        sink_(std::move(program));
        return true;
    } catch (const std::exception& error) {
        base::log_failure("subscriptions could not be compiled", error.what());
        return false;
    }
}

void SubscriptionRegistry::charge(const engine::Program& program) {
    if (settings_.memory == nullptr) return;
    const engine::Dictionary& attributes = *program.attributes();
    if (std::exchange(paths_epoch_, attributes.epoch) != attributes.epoch) paths_ = paths_bytes_ = 0;
    for (; paths_ < attributes.names.size(); ++paths_) paths_bytes_ += reader_bytes(attributes.names[paths_]);
    engine_memory_.force_resize(set_->memory_bytes() + paths_bytes_);
}

void SubscriptionRegistry::apply_round(Additions additions, SubscriberPtr removals) {
    if (leaving_ == nullptr) leaving_ = std::move(removals);
    Removed removed;
    remove_some(removed);
    try {
        while (!additions.empty()) waiting_.take_first(additions);
    } catch (const std::exception& error) {
        base::log_failure("subscriptions could not be added", error.what());
    }
    Additions complete = add_some(removed);
    // Removed subscribers get no more deliveries, with or without a new program.
    const bool published = publish_program();
    for (const Addition& addition : complete) {
        if (addition.subscriber->not_added) continue;
        if (published)
            begin(*addition.subscriber);
        else
            give_up(addition, removed);
    }
    for (const Addition& addition : additions) give_up(addition, removed);
    complete.splice(complete.end(), additions);
    has_rest_ = leaving_ != nullptr || !waiting_.empty();
    {
        const std::lock_guard lock(mutex_);
        size_ -= removed.subscriptions;
        operators_ -= removed.operators;
        distinct_ = entries_.size();
    }
    for (const Addition& addition : complete) addition.done();
}

// Returns those that are now complete, and those that have failed.
SubscriptionRegistry::Additions SubscriptionRegistry::add_some(Removed& removed) {
    Additions ended;
    for (std::size_t work = 0; work < round_work && !waiting_.empty();) {
        std::size_t in_turn = 0;
        Addition* addition = &waiting_.begin_turn();
        while (addition != nullptr && in_turn < turn_work) {
            if (!add_more(*addition, in_turn, removed)) break;
            addition = waiting_.end_first(ended);
        }
        if (addition != nullptr && addition->placed != 0) waiting_.put_off_first();
        work += in_turn;
    }
    return ended;
}

// Adds as many of the subscriptions as the turn permits. Returns whether the addition has ended: it is complete, or was
// given up.
bool SubscriptionRegistry::add_more(Addition& addition, std::size_t& work_of_turn, Removed& removed) noexcept {
    if (addition.subscriber->gone) {
        give_up(addition, removed);
        return true;
    }
    try {
        work_of_turn += place_some(addition, turn_work - work_of_turn);
        if (addition.placed < addition.subscriptions.size()) return false;
        fanout_.apply(std::move(addition.change));
    } catch (const std::exception& error) {
        base::log_failure("subscriptions could not be added", error.what());
        give_up(addition, removed);
    }
    return true;
}

// Adds some more of the subscriptions to the engine, at least one. Returns the work.
std::size_t SubscriptionRegistry::place_some(Addition& addition, std::size_t work_max) {
    if (addition.placed == 0) {
        addition.subscriber->scan_owner = ++last_owner_;
        addition.change.gained.reserve(addition.subscriptions.size());
        held_[addition.subscriber.get()].reserve(addition.subscriptions.size());
    }
    std::size_t work = 1;
    while (addition.placed < addition.subscriptions.size() && work <= work_max) {
        work += place(addition, addition.placed);
        ++addition.placed;
    }
    return work;
}

// Adds one of the subscriptions to the engine, and forgets what only the engine needed. Returns the work.
std::size_t SubscriptionRegistry::place(Addition& addition, std::size_t filter) {
    Subscriber& subscriber = *addition.subscriber;
    Subscription& subscription = addition.subscriptions[filter];
    const auto [entry, is_new] = entries_.try_emplace(std::move(subscription.key));
    try {
        if (is_new) entry->second.id = set_->add(subscription.disjunction);
    } catch (...) {
        entries_.erase(entry);
        throw;
    }
    if (is_new) {
        entry->second.operators = subscription.operators;
        entry->second.scanned = std::move(subscription.scanned);
        entry->second.computed = std::move(subscription.computed);
    }
    ++entry->second.users;
    held_.find(&subscriber)->second.push_back(&*entry);
    add_owner(subscriber, entry->second);
    addition.change.gained.push_back({entry->second.id, {addition.subscriber, static_cast<std::uint32_t>(filter)}});
    std::size_t work = 1 + entry->second.scanned.size() + entry->second.computed.size();
    const engine::Disjunction added = std::exchange(subscription.disjunction, {});
    for (const engine::Conjunction& conjunction : added.conjunctions)
        if (is_new) work += conjunction.size();
    const SubscriptionMemory& memory = subscription.memory;
    if (is_new) engine_memory_.force_resize(engine_memory_.bytes() + memory.engine);
    const std::size_t held_bytes = subscriber.filter_memory.bytes();
    subscriber.filter_memory.force_resize(held_bytes - std::min(held_bytes, memory.while_added - memory.kept));
    return work;
}

// A program with all its subscriptions is in use.
void SubscriptionRegistry::begin(Subscriber& subscriber) const {
    if (subscriber.mailbox.is_replaying())
        subscriber.first_id = Mailbox::muted;
    else if (settings_.begin)
        settings_.begin(subscriber.first_id);
    else
        subscriber.first_id = 0;
}

void SubscriptionRegistry::add_owner(const Subscriber& subscriber, const Entry& entry) {
    const auto add = [&](ScanOwners* owners, const std::vector<std::string>& conditions) {
        if (owners == nullptr) return;
        for (const std::string& condition : conditions) owners->add(condition, subscriber.scan_owner);
    };
    add(settings_.scan_owners, entry.scanned);
    add(settings_.computed_owners, entry.computed);
}

void SubscriptionRegistry::remove_owner(const Subscriber& subscriber, const Entry& entry) noexcept {
    const auto remove = [&](ScanOwners* owners, const std::vector<std::string>& conditions) {
        if (owners == nullptr) return;
        for (const std::string& condition : conditions) owners->remove(condition, subscriber.scan_owner);
    };
    remove(settings_.scan_owners, entry.scanned);
    remove(settings_.computed_owners, entry.computed);
}

// Removes what has been added.
void SubscriptionRegistry::give_up(const Addition& addition, Removed& removed) noexcept {
    addition.subscriber->not_added.store(true);
    addition.subscriber->gone.store(true);
    Removed held;  // unused: possibly not all had been added
    while (apply_removal(*addition.subscriber, held, round_work) != 0) {
    }
    removed.subscriptions += addition.subscriptions.size();
    removed.operators += addition.operators;
}

void SubscriptionRegistry::remove_some(Removed& removed) noexcept {
    for (std::size_t work = 0; leaving_ != nullptr && work < round_work; ++work) {
        // What is not complete is given up when its turn comes.
        while (leaving_->first_id != Subscriber::no_id && work < round_work) {
            const std::size_t done = apply_removal(*leaving_, removed, round_work - work);
            if (done == 0) break;
            work += done;
        }
        if (work >= round_work) return;
        leaving_ = std::exchange(leaving_->next_gone, nullptr);
    }
}

// Removes some subscriptions; returns the work, which is 0 when none is left.
std::size_t SubscriptionRegistry::apply_removal(const Subscriber& subscriber, Removed& removed,
                                                std::size_t work_max) noexcept {
    const auto held = held_.find(&subscriber);
    if (held == held_.end()) return 0;
    std::size_t work = 0;
    while (!held->second.empty() && work < work_max) {
        Entries::value_type* const entry = held->second.back();
        held->second.pop_back();
        ++removed.subscriptions;
        removed.operators += entry->second.operators;
        work += 1 + entry->second.scanned.size() + entry->second.computed.size();
        fanout_.lose(entry->second.id);
        remove_owner(subscriber, entry->second);
        if (--entry->second.users != 0) continue;
        set_->remove(entry->second.id);
        entries_.erase(entries_.find(entry->first));
    }
    if (held->second.empty()) held_.erase(held);
    return std::max<std::size_t>(work, 1);
}

}  // namespace sluice::broker
