#include "gpu/cpu/segment/deferred_rows.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <numeric>
#include <tuple>
#include <utility>

namespace sluice::cpu {

namespace {

constexpr double piece_ns = 1e9;  // estimated work per call of a family; a single pair may take more

// Calls visit(predicate, row) for each measured literal of the family.
template <class Rows, class Visit>
void for_each_predicate(Rows& rows, const engine::OperatorTable& operators, operators::OperatorFamilyKind family,
                        Visit visit) {
    for (auto& r : rows) {
        for (const std::uint32_t bits : r.codes) {
            const engine::LiteralCode code(bits);
            if (operators.family(code.index()) == family) visit(code, r);
        }
    }
}

}  // namespace

void DeferredRows::decide(const engine::PredicateTables& tables, const engine::EventBatch& batch,
                          SharedFindings& shared, std::vector<Accepted>& accepted, std::vector<Accepted>& undecided) {
    const engine::OperatorTable& operators = tables.operators();
    words_ = (batch.size() + batch.groups.size() + 31) / 32;
    for (std::size_t f = 0; f < operators::operator_families && !rows_.empty(); ++f) {
        const auto kind = static_cast<operators::OperatorFamilyKind>(f);
        const operators::OperatorFamily* family = operators.family(kind);
        if (family == nullptr) continue;
        ask(operators, kind);
        if (questions_.empty()) continue;
        ask_groups(tables, batch, shared);
        collect_pairs(tables, batch, shared, kind);
        evaluate(*family, kind, batch);
        share_answers(batch, shared);
        narrow(operators, kind);
        forget_questions(operators);
    }
    for (const Row& r : rows_) {
        const std::uint32_t unknown = r.row.events & r.unknown, known = r.row.events & ~unknown;
        if (known != 0) accepted.push_back({r.row.target, r.row.word, known});
        if (unknown != 0) undecided.push_back({r.row.target, r.row.word, unknown});
    }
    rows_.clear();
}

void DeferredRows::ask(const engine::OperatorTable& operators, operators::OperatorFamilyKind family) {
    if (slot_of_.size() < operators.size()) slot_of_.resize(operators.size(), engine::none);
    for_each_predicate(rows_, operators, family, [&](engine::LiteralCode code, const Row&) {
        const std::uint32_t p = code.index();
        if (slot_of_[p] == engine::none)
            questions_.push_back(
                {p, operators.attribute(p), operators.index_in_family(p), operators.computed_with(p), 0, {}});
        slot_of_[p] = 0;
    });
    std::sort(questions_.begin(), questions_.end(),
              [](const Question& a, const Question& b) { return a.predicate < b.predicate; });
    for (std::uint32_t slot = 0; slot < questions_.size(); ++slot) {
        Question& q = questions_[slot];
        slot_of_[q.predicate] = slot;
        std::uint32_t& first = slot_of_[operators.computed_with(q.predicate)];
        if (first == engine::none) first = slot;  // itself not asked; forget_questions() clears it with the others
        q.computed_with = first;
        q.cost = operators.cost(q.predicate);
    }
    asked_.assign(questions_.size() * words_, 0);
    holds_.assign(questions_.size() * words_, 0);
    left_out_.assign(questions_.size() * words_, 0);
    latest_computed_.assign(questions_.size(), engine::none);
    for_each_predicate(rows_, operators, family, [&](engine::LiteralCode code, const Row& r) {
        asked_[slot_of_[code.index()] * words_ + r.row.word] |= r.row.events;
    });
}

// Calls visit(slot, source) for every question, by slot; the events of a slot come before its groups.
template <class Visit>
void DeferredRows::for_each_asked(Visit visit) const {
    for (std::size_t at = 0; at < asked_.size(); ++at) {
        for (std::uint32_t bits = asked_[at]; bits != 0; bits &= bits - 1)
            visit(static_cast<std::uint32_t>(at / words_),
                  static_cast<std::uint32_t>(at % words_ * 32 + static_cast<unsigned>(std::countr_zero(bits))));
    }
}

// Passes the questions about events on to their groups, unless the answer is known or the group has no such values.
void DeferredRows::ask_groups(const engine::PredicateTables& tables, const engine::EventBatch& batch,
                              SharedFindings& shared) {
    if (batch.groups.empty()) return;
    const auto events = static_cast<std::uint32_t>(batch.size());
    known_.assign(asked_.size(), 0);
    for_each_asked([&](std::uint32_t slot, std::uint32_t source) {
        if (source >= events) return;
        for (const std::uint32_t group : batch.groups_of(source)) {
            const std::uint32_t source_of_group = events + group;
            if (test(asked_, slot, source_of_group) || test(known_, slot, source_of_group)) continue;
            const Question& question = questions_[slot];
            const bool has_texts = !tables.values_of(question.attribute, batch.groups[group].values).empty();
            const auto* const known = has_texts ? shared.find(group, question.predicate) : nullptr;
            set(has_texts && known == nullptr ? asked_ : known_, slot, source_of_group);
            if (known == nullptr) continue;
            if (known->holds) set(holds_, slot, source_of_group);
            if (known->left_out) set(left_out_, slot, source_of_group);
        }
    });
}

// Stores the answers of the groups, and copies them to their events.
void DeferredRows::share_answers(const engine::EventBatch& batch, SharedFindings& shared) {
    if (batch.groups.empty()) return;
    const auto events = static_cast<std::uint32_t>(batch.size());
    for_each_asked([&](std::uint32_t slot, std::uint32_t source) {
        if (source >= events) {
            const SharedFindings::Measured found{test(holds_, slot, source), test(left_out_, slot, source)};
            return shared.note(source - events, questions_[slot].predicate, found);
        }
        for (const std::uint32_t group : batch.groups_of(source)) {
            if (test(holds_, slot, events + group)) set(holds_, slot, source);
            if (test(left_out_, slot, events + group)) set(left_out_, slot, source);
        }
    });
}

void DeferredRows::sort_questions_by_source(std::size_t sources) {
    first_of_source_.assign(sources + 2, 0);  // for now shifted by two places
    for_each_asked([&](std::uint32_t, std::uint32_t source) { ++first_of_source_[source + 2]; });
    std::partial_sum(first_of_source_.begin(), first_of_source_.end(), first_of_source_.begin());
    slots_.resize(first_of_source_.back());
    for_each_asked([&](std::uint32_t slot, std::uint32_t source) { slots_[first_of_source_[source + 1]++] = slot; });
}

void DeferredRows::collect_pairs(const engine::PredicateTables& tables, const engine::EventBatch& batch,
                                 SharedFindings& shared, operators::OperatorFamilyKind kind) {
    FairShares::OwnersOf owners_of;
    if (batch.owners_of) {
        owners_of = [&](std::uint32_t slot, std::vector<std::uint64_t>& owners) {
            const Question& q = questions_[slot];
            const engine::OperatorTable& operators = tables.operators();
            const std::uint32_t name = tables.name(engine::LiteralCode(engine::Family::measured, q.predicate));
            batch.owners_of(name, operators.measure(q.predicate), operators.bounds(q.predicate), owners);
        };
    }
    shares_.begin(questions_.size());
    const std::size_t sources = batch.size() + batch.groups.size();
    sort_questions_by_source(sources);
    latest_texts_.assign(tables.attributes(), {});
    for (std::uint32_t source = 0; source < sources; ++source) {
        const std::size_t first = drafts_.size(), first_text = texts_.size();
        for (std::size_t i = first_of_source_[source]; i < first_of_source_[source + 1]; ++i) {
            const std::uint32_t slot = slots_[i];
            const Question& question = questions_[slot];
            const Texts& texts = texts_of(tables, batch, question.attribute, source);
            for (std::uint32_t text = texts.first; text < texts.first + texts.count; ++text) {
                if (question.cost.ns(texts_[text].size()) > batch.operator_ns_max)
                    set(left_out_, slot, source);
                else
                    drafts_.push_back({slot, text});
            }
        }
        if (source < batch.size()) {
            keep_within(first, source, batch.event_ns_max, owners_of);
        } else if (drafts_.size() > first) {
            const auto group = static_cast<std::uint32_t>(source - batch.size());
            double& spent = shared.spent_ns(group, kind);
            const double ns_max = std::min(batch.group_ns_max, batch.event_ns_max * batch.groups[group].events);
            spent += keep_within(first, source, std::max(0.0, ns_max - spent), owners_of);
        }
        if (texts_.size() - first_text < 2) continue;
        std::stable_sort(drafts_.begin() + static_cast<std::ptrdiff_t>(first), drafts_.end(),
                         [](const Draft& a, const Draft& b) { return a.text < b.text; });
    }
}

// Drops drafts from `first` on, which are all of one source, so that the rest takes at most `ns_max` (FairShares).
// Pairs that are computed together are left out together. Returns the estimated time of the rest.
double DeferredRows::keep_within(std::size_t first, std::uint32_t source, double ns_max,
                                 const FairShares::OwnersOf& owners_of) {
    const auto cost = [&](const Draft& draft) { return questions_[draft.slot].cost.ns(texts_[draft.text].size()); };
    const auto computation = [&](const Draft& draft) {
        return std::tuple(cost(draft), questions_[draft.slot].computation, draft.text);
    };
    const auto begin = drafts_.begin() + static_cast<std::ptrdiff_t>(first);
    double ns = 0;
    for (auto draft = begin; draft != drafts_.end(); ++draft) ns += cost(*draft);
    if (ns <= ns_max) return ns;
    std::sort(begin, drafts_.end(), [&](const Draft& a, const Draft& b) { return computation(a) < computation(b); });
    computations_.clear();
    for (std::size_t i = first; i < drafts_.size(); ++i) {
        if (i == first || computation(drafts_[i - 1]) != computation(drafts_[i]))
            computations_.push_back({cost(drafts_[i]), i, i, false});
        ++computations_.back().end;
    }
    ns = shares_.keep(computations_, ns_max, owners_of, [this](std::size_t i) { return drafts_[i].slot; });
    std::size_t kept = first;
    for (const FairShares::Computation& c : computations_) {
        for (std::size_t i = c.first; i < c.end; ++i) {
            if (c.kept)
                drafts_[kept++] = drafts_[i];
            else
                set(left_out_, drafts_[i].slot, source);
        }
    }
    drafts_.resize(kept);
    std::sort(begin, drafts_.end(),
              [](const Draft& a, const Draft& b) { return std::pair(a.slot, a.text) < std::pair(b.slot, b.text); });
    return ns;
}

const DeferredRows::Texts& DeferredRows::texts_of(const engine::PredicateTables& tables,
                                                  const engine::EventBatch& batch, std::uint32_t attribute,
                                                  std::uint32_t source) {
    Texts& latest = latest_texts_[attribute];
    if (latest.source == source) return latest;
    const std::span<const engine::Value> all =
        source < batch.size() ? batch.event(source) : batch.groups[source - batch.size()].values;
    const std::span<const engine::Value> values = tables.values_of(attribute, all);
    latest = {source, static_cast<std::uint32_t>(texts_.size()), static_cast<std::uint32_t>(values.size())};
    for (const engine::Value& value : values) {
        texts_.push_back(value.text);
        source_of_.push_back(source);
    }
    return latest;
}

// The estimated time that the pair adds to the pairs before it.
double DeferredRows::added_ns(const Draft& draft) {
    const Question& question = questions_[draft.slot];
    std::uint32_t& latest = latest_computed_[question.computed_with];
    return std::exchange(latest, draft.text) == draft.text ? 0 : question.cost.ns(texts_[draft.text].size());
}

// Evaluates in pieces, with a pause possible between them.
void DeferredRows::evaluate(const operators::OperatorFamily& family, operators::OperatorFamilyKind kind,
                            const engine::EventBatch& batch) {
    operators::OperatorWork ignored;
    operators::OperatorWork& work = batch.work != nullptr ? *batch.work : ignored;
    operators::OperatorWork::Time& time = work.time_of(kind);
    for (std::size_t first = 0; first < drafts_.size();) {
        pairs_.clear();
        double ns = 0;
        for (std::size_t i = first; i < drafts_.size() && (pairs_.empty() || ns < piece_ns); ++i) {
            pairs_.push_back({questions_[drafts_[i].slot].index_in_family, drafts_[i].text});
            ns += added_ns(drafts_[i]);
        }
        answers_.assign(pairs_.size(), 0);
        if (batch.pause) batch.pause(ns);
        const std::uint64_t device_ns_before = time.device_ns;
        const auto start = std::chrono::steady_clock::now();
        family.evaluate(texts_, pairs_, answers_, work);
        const std::uint64_t ns_elapsed = operators::ns_since(start);
        time.cpu_ns += ns_elapsed - std::min(ns_elapsed, time.device_ns - device_ns_before);
        for (std::size_t i = 0; i < pairs_.size(); ++i) {
            if (answers_[i] == 0) continue;
            const Draft& draft = drafts_[first + i];
            set(holds_, draft.slot, source_of_[draft.text]);
        }
        first += pairs_.size();
    }
}

// Applies the answers to the rows, and drops rows that have no event left.
void DeferredRows::narrow(const engine::OperatorTable& operators, operators::OperatorFamilyKind family) {
    for_each_predicate(rows_, operators, family, [&](engine::LiteralCode code, Row& r) {
        const std::size_t at = slot_of_[code.index()] * words_ + r.row.word;
        const std::uint32_t holds = holds_[at], unknown = left_out_[at] & ~holds;
        r.unknown |= unknown;
        r.row.events &= (code.negated() ? ~holds : holds) | unknown;
    });
    std::erase_if(rows_, [](const Row& r) { return r.row.events == 0; });
}

void DeferredRows::forget_questions(const engine::OperatorTable& operators) {
    for (const Question& question : questions_)
        slot_of_[question.predicate] = slot_of_[operators.computed_with(question.predicate)] = engine::none;
    questions_.clear();
    texts_.clear();
    source_of_.clear();
    drafts_.clear();
    pairs_.clear();
}

}  // namespace sluice::cpu
