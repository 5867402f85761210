#include "broker/core/matching/registry.hpp"

#include <algorithm>
#include <utility>

#include "broker/base/log.hpp"
#include "broker/base/thread_name.hpp"
#include "config/options.hpp"
#include "gpu/operators/memory.hpp"
#include "gpu/tables/limits.hpp"
#include "gpu/tables/term.hpp"
#include "protocol/filter/attribute.hpp"

namespace sluice::broker {

namespace {

// The engine can hold every filter that the configuration admits, with the literal of its stream in each conjunction.
using Most = config::LimitOptions;
constexpr std::uint64_t literals_most = Most::filter_literals_max + Most::filter_conjunctions_max;
static_assert(literals_most <= engine::SegmentLimits{}.predicates);
static_assert(literals_most + Most::filter_conjunctions_max <= engine::SegmentLimits{}.record_words);
static_assert(Most::filter_operators_max <= engine::SegmentLimits{}.measured);
static_assert(Most::subscriptions_max <= engine::SetLimits{}.slots);

// The distinct predicates for which `wanted` returns true.
template <typename Wanted>
std::vector<const engine::Predicate*> distinct(const engine::Disjunction& conjunctions, const Wanted& wanted) {
    std::vector<const engine::Predicate*> found;
    for (const engine::Conjunction& conjunction : conjunctions) {
        for (const engine::Literal& literal : conjunction) {
            const engine::Predicate& p = literal.predicate;
            const auto same = [&](const engine::Predicate* other) { return *other == p; };
            if (wanted(p) && std::none_of(found.begin(), found.end(), same)) found.push_back(&p);
        }
    }
    return found;
}

bool is_measured(const engine::Predicate& p) { return p.measure.has_value(); }

}  // namespace

Subscription make_subscription(const std::string& stream, const std::string& canonical,
                               engine::Disjunction conjunctions) {
    if (!stream.empty()) {
        filter::Attribute attribute;
        attribute.variable = "stream";
        const engine::Literal literal{{filter::to_string(attribute), engine::Operator::equal, stream, 0}, false};
        for (engine::Conjunction& conjunction : conjunctions) conjunction.push_back(literal);
    }
    // Stream names contain no line feed, so the key is unambiguous.
    const std::vector<const engine::Predicate*> measured = distinct(conjunctions, is_measured);
    const std::size_t operators = measured.size();
    std::vector<std::string> scanned, computed;
    for (const engine::Predicate* p : measured) {
        if (const auto bounds = engine::bounds_of(p->op, p->number))
            computed.push_back(computed_key(p->attribute, *p->measure, *bounds));
    }
    for (const engine::Predicate* p :
         distinct(conjunctions, [](const engine::Predicate& p) { return p.op == engine::Operator::scanned; }))
        scanned.push_back(p->attribute);
    return {stream + '\n' + canonical, std::move(conjunctions), operators, std::move(scanned), std::move(computed)};
}

// The constants are estimates of the memory that a filter and its literals take in the engine and around it.
SubscriptionMemory memory_of(const Subscription& subscription) {
    constexpr std::size_t place_bytes = 512;      // in the registry, in the fan-out and in the engine
    constexpr std::size_t literal_bytes = 64;     // in the engine
    constexpr std::size_t substring_bytes = 192;  // in the substring search
    constexpr std::size_t owner_bytes = 192;      // for a scanned or computed condition and one owner
    // For a long attribute or scanned condition: its name in the engine's tables and its compiled steps, both including
    // the copies that replace them.
    constexpr std::size_t short_name = 64, name_copies = 6, step_bytes = 128;
    SubscriptionMemory memory{place_bytes + subscription.key.size(), place_bytes + subscription.key.size()};
    for (const engine::Conjunction& conjunction : subscription.conjunctions) {
        memory.while_added += sizeof(engine::Conjunction);
        for (const engine::Literal& literal : conjunction) {
            const engine::Predicate& p = literal.predicate;
            const std::size_t text = p.attribute.size() + p.text.size() + (p.measure ? p.measure->operand.size() : 0);
            memory.while_added += 2 * sizeof(engine::Literal) + 2 * text;
            memory.kept += literal_bytes + 2 * text;
            if (p.op == engine::Operator::contains) memory.kept += substring_bytes;
            if (p.attribute.size() <= short_name) continue;
            const auto steps = static_cast<std::size_t>(std::count(p.attribute.begin(), p.attribute.end(), '/'));
            memory.kept += name_copies * p.attribute.size() + steps * step_bytes;
        }
    }
    for (const engine::Predicate* p : distinct(subscription.conjunctions, is_measured))
        memory.kept += operators::operator_bytes(*p->measure);
    for (const auto* conditions : {&subscription.scanned, &subscription.computed})
        for (const std::string& condition : *conditions) memory.kept += owner_bytes + 2 * condition.size();
    memory.while_added += memory.kept;
    return memory;
}

SubscriptionRegistry::SubscriptionRegistry(Settings settings, Fanout& fanout, ProgramSink sink)
    : settings_(std::move(settings)),
      fanout_(fanout),
      sink_(std::move(sink)),
      set_(engine::make_subscription_set(settings_.engine)) {
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
        const std::size_t n = subscriptions.size();
        additions_.push_back({std::move(subscriber), std::move(subscriptions), std::move(done)});
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
        if (additions_.empty() && removals_ == nullptr) return;  // stopping
        auto additions = std::exchange(additions_, {});
        auto removals = std::exchange(removals_, {});
        lock.unlock();
        const auto begin = std::chrono::steady_clock::now();
        try {
            apply(std::move(additions), std::move(removals));
        } catch (const std::exception& error) {
            base::log_failure("changes of subscriptions were not completed", error.what());
        }
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
        sink_(std::move(program), ++program_number_);
        return true;
    } catch (const std::exception& error) {
        base::log_failure("subscriptions could not be compiled", error.what());
        return false;
    }
}

void SubscriptionRegistry::apply(std::vector<Addition> additions, SubscriberPtr removals) {
    Removed removed;
    bool added = try_to_add(additions);
    for (const Subscriber* gone = removals.get(); gone != nullptr; gone = gone->next_gone.get())
        apply_removal(*gone, removed);
    // Removed subscribers get no more deliveries, with or without a new program.
    added = publish_program() && added;
    if (!added) give_up(additions, removed);
    {
        const std::lock_guard lock(mutex_);
        size_ -= removed.subscriptions;
        operators_ -= removed.operators;
        distinct_ = entries_.size();
    }
    for (const Addition& addition : additions) addition.done();
    // Iteratively, since destroying the chain of pointers would recurse.
    while (removals != nullptr) removals = std::exchange(removals->next_gone, nullptr);
}

bool SubscriptionRegistry::try_to_add(std::vector<Addition>& additions) {
    try {
        Fanout::Change change;
        std::size_t n = 0;
        for (const Addition& addition : additions) n += addition.subscriptions.size();
        change.gained.reserve(n);
        for (Addition& addition : additions) apply_addition(addition, change);
        fanout_.apply(std::move(change));
        return true;
    } catch (const std::exception& error) {
        base::log_failure("subscriptions could not be added", error.what());
        return false;
    }
}

void SubscriptionRegistry::apply_addition(Addition& addition, Fanout::Change& change) {
    const std::size_t n = addition.subscriptions.size();
    addition.subscriber->first_program = program_number_ + 1;
    addition.subscriber->scan_owner = ++last_owner_;
    auto& held = held_[addition.subscriber.get()];
    held.reserve(n);
    for (std::size_t i = 0; i < n; ++i) {
        Subscription& subscription = addition.subscriptions[i];
        const auto [entry, is_new] = entries_.try_emplace(std::move(subscription.key));
        try {
            if (is_new) entry->second.id = set_->add(subscription.conjunctions);
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
        held.push_back(&*entry);
        add_owner(*addition.subscriber, entry->second);
        change.gained.push_back({entry->second.id, {addition.subscriber, static_cast<std::uint32_t>(i)}});
    }
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

// Gives up all additions, since no program contains them or some could not be added.
void SubscriptionRegistry::give_up(const std::vector<Addition>& additions, Removed& removed) noexcept {
    for (const Addition& addition : additions) {
        addition.subscriber->not_added.store(true);
        addition.subscriber->gone.store(true);
        Removed held;  // unused: possibly not all had been added
        apply_removal(*addition.subscriber, held);
        removed.subscriptions += addition.subscriptions.size();
        for (const Subscription& subscription : addition.subscriptions) removed.operators += subscription.operators;
    }
}

void SubscriptionRegistry::apply_removal(const Subscriber& subscriber, Removed& removed) noexcept {
    const auto held = held_.find(&subscriber);
    if (held == held_.end()) return;
    removed.subscriptions += held->second.size();
    for (Entries::value_type* entry : held->second) {
        removed.operators += entry->second.operators;
        fanout_.lose(entry->second.id);
        remove_owner(subscriber, entry->second);
        if (--entry->second.users != 0) continue;
        set_->remove(entry->second.id);
        entries_.erase(entries_.find(entry->first));
    }
    held_.erase(held);
}

}  // namespace sluice::broker
