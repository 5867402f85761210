#include "gpu/naive/naive_set.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "gpu/operators/reference.hpp"
#include "gpu/operators/work.hpp"

namespace sluice::engine {

namespace {

struct Condition {
    Predicate predicate;
    std::uint32_t name = 0;              // id of its attribute, or of its key if scanned
    operators::MeasureFunction measure;  // if the predicate has one
};

struct Subscription {
    SubscriptionId id;
    std::vector<Condition> conditions;  // those of its filter, by index
    std::vector<Conjunction> conjunctions;
};

// `number` is the value's number, or its measure if the predicate compares that.
bool holds_for(const Predicate& p, std::string_view text, double number) {
    switch (p.op) {
        case Operator::exists:
            return true;
        case Operator::equal:
            return text == p.text;
        case Operator::not_equal:
            return text != p.text;
        case Operator::contains:
            return text.find(p.text) != std::string_view::npos;
        case Operator::starts_with:
            return text.starts_with(p.text);
        case Operator::ends_with:
            return text.ends_with(p.text);
        case Operator::number_equal:
            return number == p.number;
        case Operator::number_not_equal:
            return number != p.number;
        case Operator::less:
            return number < p.number;
        case Operator::less_equal:
            return number <= p.number;
        case Operator::greater:
            return number > p.number;
        case Operator::greater_equal:
            return number >= p.number;
        case Operator::scanned:
            break;
    }
    return false;
}

bool holds_for(const Condition& condition, const Value& value, operators::OperatorWork* work) {
    const Predicate& p = condition.predicate;
    if (!condition.measure) return holds_for(p, value.text, value.number);
    const auto start = std::chrono::steady_clock::now();
    const double measure = condition.measure(value.text);
    const std::uint64_t ns_elapsed = operators::ns_since(start);
    const bool holds = !std::isnan(measure) && holds_for(p, value.text, measure);
    if (work != nullptr) {
        operators::OperatorWork::Kind& w = work->of(p.measure->kind);
        ++w.pairs;
        w.unreadable += std::isnan(measure);
        w.holds += holds;
        work->time_of(operators::family_of(p.measure->kind)).cpu_ns += ns_elapsed;
    }
    return holds;
}

class NaiveProgram final : public Program {
public:
    NaiveProgram(std::vector<Subscription> subscriptions, std::shared_ptr<const Dictionary> attributes,
                 std::shared_ptr<const Dictionary> scanned)
        : subscriptions_(std::move(subscriptions)), attributes_(std::move(attributes)), scanned_(std::move(scanned)) {}

    const std::shared_ptr<const Dictionary>& attributes() const override { return attributes_; }
    const std::shared_ptr<const Dictionary>& scanned() const override { return scanned_; }

    void match(const EventBatch& batch, std::vector<Match>& matches) const override {
        Known known;
        for (const Subscription& s : subscriptions_) {
            for (std::uint32_t word = 0; word < batch.words(); ++word) {
                Match match{s.id, word, 0}, undecided{s.id, word, 0};
                for (std::uint32_t bit = 0; bit < 32 && 32 * word + bit < batch.size(); ++bit) {
                    const std::optional<bool> answer = holds(s, batch, 32 * word + bit, known);
                    if (!answer) undecided.accepted |= 1u << bit;
                    if (answer.value_or(false)) match.accepted |= 1u << bit;
                }
                if (match.accepted != 0) matches.push_back(match);
                if (undecided.accepted != 0 && batch.undecided != nullptr) batch.undecided->push_back(undecided);
            }
        }
    }

private:
    // (scanned, event); each is asked once per batch.
    using Known = std::map<std::pair<std::uint32_t, std::uint32_t>, std::optional<bool>>;

    static std::optional<bool> holds(const Condition& condition, const EventBatch& batch, std::uint32_t event,
                                     Known& known) {
        if (condition.predicate.op == Operator::scanned) {
            const auto [at, is_new] = known.try_emplace({condition.name, event}, false);
            if (is_new && batch.scan) at->second = batch.scan(condition.name, event);
            return at->second;
        }
        if (!batch.is_known(event, condition.name)) return std::nullopt;
        const auto holds_for_any = [&](std::span<const Value> values) {
            return std::any_of(values.begin(), values.end(), [&](const Value& v) {
                return v.attribute == condition.name && holds_for(condition, v, batch.work);
            });
        };
        const auto groups = batch.groups_of(event);
        return holds_for_any(batch.event(event)) || std::any_of(groups.begin(), groups.end(), [&](std::uint32_t g) {
                   return holds_for_any(batch.groups[g].values);
               });
    }

    // False if one literal is false, else undecided if one is undecided.
    static std::optional<bool> holds(const Conjunction& conjunction, const std::vector<Condition>& conditions,
                                     const EventBatch& batch, std::uint32_t event, Known& known) {
        std::optional<bool> all = true;
        for (const Literal& literal : conjunction) {
            const std::optional<bool> answer = holds(conditions[literal.predicate], batch, event, known);
            if (answer && *answer == literal.negated) return false;
            if (!answer) all.reset();
        }
        return all;
    }

    // True if one conjunction is true, else undecided if one is undecided.
    static std::optional<bool> holds(const Subscription& s, const EventBatch& batch, std::uint32_t event,
                                     Known& known) {
        std::optional<bool> any = false;
        for (const Conjunction& conjunction : s.conjunctions) {
            const std::optional<bool> answer = holds(conjunction, s.conditions, batch, event, known);
            if (answer.value_or(false)) return true;
            if (!answer) any.reset();
        }
        return any;
    }

    std::vector<Subscription> subscriptions_;
    std::shared_ptr<const Dictionary> attributes_, scanned_;
};

class NaiveSet final : public SubscriptionSet {
public:
    SubscriptionId add(const Disjunction& filter) override {
        if (const std::string reason = invalid_reason(filter); !reason.empty()) throw std::invalid_argument(reason);
        Subscription s;
        for (const Predicate& p : filter.predicates)
            s.conditions.push_back(
                {p, name(p), p.measure ? operators::reference_of(*p.measure) : operators::MeasureFunction()});
        s.conjunctions = filter.conjunctions;
        s.id = next_id();
        subscriptions_.push_back(std::move(s));
        free_.pop_back();
        return subscriptions_.back().id;
    }

    bool remove(SubscriptionId id) override {
        const auto found = std::find_if(subscriptions_.begin(), subscriptions_.end(),
                                        [&](const Subscription& s) { return s.id == id; });
        if (found == subscriptions_.end()) return false;
        subscriptions_.erase(found);
        ++next_[id.slot];
        free_.push_back(id.slot);
        return true;
    }

    std::size_t size() const override { return subscriptions_.size(); }
    std::size_t memory_bytes() const override { return 0; }
    void ask_for_room(std::function<bool(std::size_t bytes)> /*ask*/) override {}  // it has no background work
    EngineStatus status() const override {
        EngineStatus status;
        status.backend = "naive";
        status.reason = "the naive backend matches, as configured";
        return status;
    }

    std::shared_ptr<const Program> compile() override {
        return std::make_shared<NaiveProgram>(subscriptions_, attributes_, scanned_);
    }

private:
    // The id for the next subscription. Makes room for all slots to be free, since remove() must not need memory.
    SubscriptionId next_id() {
        if (free_.empty()) {
            next_.push_back(0);
            free_.reserve(next_.capacity());
            free_.push_back(static_cast<std::uint32_t>(next_.size() - 1));
        }
        return {free_.back(), next_[free_.back()]};
    }

    std::uint32_t name(const Predicate& p) {
        auto& dictionary = p.op == Operator::scanned ? scanned_ : attributes_;
        const auto& names = dictionary->names;
        const auto at = std::find(names.begin(), names.end(), p.attribute);
        const auto id = static_cast<std::uint32_t>(at - names.begin());
        if (at == names.end()) {
            auto grown = std::make_shared<Dictionary>(*dictionary);
            grown->names.push_back(p.attribute);
            grown->conditions.push_back(p.condition);
            dictionary = std::move(grown);
        }
        return id;
    }

    std::vector<Subscription> subscriptions_;
    std::vector<std::uint32_t> next_;  // generation of each slot's next subscription
    std::vector<std::uint32_t> free_;
    std::shared_ptr<const Dictionary> attributes_ = std::make_shared<Dictionary>();
    std::shared_ptr<const Dictionary> scanned_ = std::make_shared<Dictionary>();
};

}  // namespace

std::unique_ptr<SubscriptionSet> make_naive_set() { return std::make_unique<NaiveSet>(); }

}  // namespace sluice::engine
