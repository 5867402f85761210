#include "gpu/cpu/deferred_rows.hpp"

#include <algorithm>
#include <utility>

namespace sluice {

namespace {

constexpr double piece_ns = 1e9;  // of what a family is asked at once; a single pair may take more

// visit(predicate, row) for each measured literal of the family.
template <class Rows, class Visit>
void for_each_predicate(Rows& rows, const OperatorTable& operators, OperatorFamilyKind family, Visit visit) {
    for (auto& r : rows) {
        for (const std::uint32_t bits : r.codes) {
            const LiteralCode code(bits);
            if (operators.family(code.index()) == family) visit(code, r.row);
        }
    }
}

}  // namespace

void DeferredRows::decide(const PredicateTables& tables, const EventBatch& batch, std::vector<Accepted>& accepted,
                          std::vector<Accepted>& undecided) {
    const OperatorTable& operators = tables.operators();
    words_ = batch.words();
    for (std::size_t f = 0; f < operator_families && !rows_.empty(); ++f) {
        const auto kind = static_cast<OperatorFamilyKind>(f);
        const OperatorFamily* family = operators.family(kind);
        if (family == nullptr) continue;
        ask(operators, kind);
        if (predicates_.empty()) continue;
        collect_pairs(tables, batch);
        leave_out_slow(operators, batch.operator_ns_max);
        evaluate(operators, *family, batch);
        narrow(operators, kind, undecided);
        forget_questions(operators);
    }
    for (const Row& r : rows_) accepted.push_back(r.row);
    rows_.clear();
}

void DeferredRows::ask(const OperatorTable& operators, OperatorFamilyKind family) {
    if (slot_of_.size() < operators.size()) {
        slot_of_.resize(operators.size(), none);
        latest_computed_.resize(operators.size(), none);
    }
    for_each_predicate(rows_, operators, family, [&](LiteralCode code, const Accepted&) {
        if (slot_of_[code.index()] == none) predicates_.push_back(code.index());
        slot_of_[code.index()] = 0;
    });
    std::sort(predicates_.begin(), predicates_.end());
    for (std::uint32_t slot = 0; slot < predicates_.size(); ++slot) slot_of_[predicates_[slot]] = slot;
    asked_.assign(predicates_.size() * words_, 0);
    holds_.assign(predicates_.size() * words_, 0);
    left_out_.assign(predicates_.size() * words_, 0);
    for_each_predicate(rows_, operators, family, [&](LiteralCode code, const Accepted& row) {
        asked_[slot_of_[code.index()] * words_ + row.word] |= row.events;
    });
}

void DeferredRows::collect_pairs(const PredicateTables& tables, const EventBatch& batch) {
    latest_texts_.assign(tables.attributes(), {});
    for (std::uint32_t event = 0; event < batch.size(); ++event) {
        const std::size_t first = drafts_.size(), first_text = texts_.size();
        collect_pairs(tables, batch, event);
        if (texts_.size() - first_text < 2) continue;
        std::stable_sort(drafts_.begin() + static_cast<std::ptrdiff_t>(first), drafts_.end(),
                         [](const Draft& a, const Draft& b) { return a.text < b.text; });
    }
}

void DeferredRows::collect_pairs(const PredicateTables& tables, const EventBatch& batch, std::uint32_t event) {
    for (std::uint32_t slot = 0; slot < predicates_.size(); ++slot) {
        if ((asked_[slot * words_ + event / 32] >> event % 32 & 1) == 0) continue;
        const Texts& texts = texts_of(tables, batch, tables.operators().attribute(predicates_[slot]), event);
        for (std::uint32_t i = 0; i < texts.count; ++i) drafts_.push_back({slot, texts.first + i, 0});
    }
}

const DeferredRows::Texts& DeferredRows::texts_of(const PredicateTables& tables, const EventBatch& batch,
                                                  std::uint32_t attribute, std::uint32_t event) {
    Texts& latest = latest_texts_[attribute];
    if (latest.event == event) return latest;
    const std::span<const Value> values = tables.values_of(attribute, batch.event(event));
    latest = {event, static_cast<std::uint32_t>(texts_.size()), static_cast<std::uint32_t>(values.size())};
    for (const Value& value : values) {
        texts_.push_back(value.text);
        event_of_.push_back(event);
    }
    return latest;
}

void DeferredRows::leave_out_slow(const OperatorTable& operators, double ns_max) {
    std::size_t kept = 0;
    for (Draft draft : drafts_) {
        draft.ns = operators.cost(predicates_[draft.slot]).ns(texts_[draft.text].size());
        const std::uint32_t event = event_of_[draft.text];
        if (draft.ns > ns_max)
            left_out_[draft.slot * words_ + event / 32] |= 1u << event % 32;
        else
            drafts_[kept++] = draft;
    }
    drafts_.resize(kept);
}

// What the pair adds to what those before it take.
double DeferredRows::added_ns(const OperatorTable& operators, const Draft& draft) {
    std::uint32_t& latest = latest_computed_[operators.computed_with(predicates_[draft.slot])];
    return std::exchange(latest, draft.text) == draft.text ? 0 : draft.ns;
}

// In pieces that can be paused between.
void DeferredRows::evaluate(const OperatorTable& operators, const OperatorFamily& family, const EventBatch& batch) {
    OperatorWork ignored;
    OperatorWork& work = batch.work != nullptr ? *batch.work : ignored;
    for (std::size_t first = 0; first < drafts_.size();) {
        pairs_.clear();
        double ns = 0;
        for (std::size_t i = first; i < drafts_.size() && (pairs_.empty() || ns < piece_ns); ++i) {
            pairs_.push_back({operators.index_in_family(predicates_[drafts_[i].slot]), drafts_[i].text});
            ns += added_ns(operators, drafts_[i]);
        }
        answers_.assign(pairs_.size(), 0);
        if (ns >= piece_ns && batch.pause) batch.pause();
        family.evaluate(texts_, pairs_, answers_, work);
        for (std::size_t i = 0; i < pairs_.size(); ++i) {
            const Draft& draft = drafts_[first + i];
            const std::uint32_t event = event_of_[draft.text];
            if (answers_[i] != 0) holds_[draft.slot * words_ + event / 32] |= 1u << event % 32;
        }
        first += pairs_.size();
    }
}

// Takes the answers to the rows, and drops those that have no event left.
void DeferredRows::narrow(const OperatorTable& operators, OperatorFamilyKind family, std::vector<Accepted>& undecided) {
    for_each_predicate(rows_, operators, family, [&](LiteralCode code, Accepted& row) {
        const std::size_t at = slot_of_[code.index()] * words_ + row.word;
        const std::uint32_t holds = holds_[at];
        const std::uint32_t unknown = row.events & left_out_[at] & ~holds;
        if (unknown != 0) undecided.push_back({row.target, row.word, unknown});
        row.events &= (code.negated() ? ~holds : holds) & ~unknown;
    });
    std::erase_if(rows_, [](const Row& r) { return r.row.events == 0; });
}

void DeferredRows::forget_questions(const OperatorTable& operators) {
    for (const std::uint32_t predicate : predicates_) {
        slot_of_[predicate] = none;
        latest_computed_[operators.computed_with(predicate)] = none;
    }
    predicates_.clear();
    texts_.clear();
    event_of_.clear();
    drafts_.clear();
    pairs_.clear();
}

}  // namespace sluice
