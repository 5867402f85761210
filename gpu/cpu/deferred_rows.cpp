#include "gpu/cpu/deferred_rows.hpp"

#include <algorithm>

namespace sluice {

namespace {

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

void DeferredRows::decide(const PredicateTables& tables, const EventBatch& batch, std::vector<Accepted>& accepted) {
    const OperatorTable& operators = tables.operators();
    OperatorWork ignored;
    words_ = batch.words();
    for (std::size_t f = 0; f < operator_families && !rows_.empty(); ++f) {
        const auto kind = static_cast<OperatorFamilyKind>(f);
        const OperatorFamily* family = operators.family(kind);
        if (family == nullptr) continue;
        ask(operators, kind);
        if (predicates_.empty()) continue;
        collect_pairs(tables, batch);
        evaluate(operators, *family, batch.work != nullptr ? *batch.work : ignored);
        narrow(operators, kind);
        forget_questions();
    }
    for (const Row& r : rows_) accepted.push_back(r.row);
    rows_.clear();
}

void DeferredRows::ask(const OperatorTable& operators, OperatorFamilyKind family) {
    if (slot_of_.size() < operators.size()) slot_of_.resize(operators.size(), none);
    for_each_predicate(rows_, operators, family, [&](LiteralCode code, const Accepted&) {
        if (slot_of_[code.index()] == none) predicates_.push_back(code.index());
        slot_of_[code.index()] = 0;
    });
    std::sort(predicates_.begin(), predicates_.end());
    for (std::uint32_t slot = 0; slot < predicates_.size(); ++slot) slot_of_[predicates_[slot]] = slot;
    asked_.assign(predicates_.size() * words_, 0);
    holds_.assign(predicates_.size() * words_, 0);
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
        for (std::uint32_t i = 0; i < texts.count; ++i) drafts_.push_back({slot, texts.first + i});
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

void DeferredRows::evaluate(const OperatorTable& operators, const OperatorFamily& family, OperatorWork& work) {
    for (const Draft& d : drafts_) pairs_.push_back({operators.index_in_family(predicates_[d.slot]), d.text});
    answers_.assign(pairs_.size(), 0);
    if (!pairs_.empty()) family.evaluate(texts_, pairs_, answers_, work);
    for (std::size_t i = 0; i < drafts_.size(); ++i) {
        const std::uint32_t event = event_of_[drafts_[i].text];
        if (answers_[i] != 0) holds_[drafts_[i].slot * words_ + event / 32] |= 1u << event % 32;
    }
}

// Takes the answers to the rows, and drops those that have no event left.
void DeferredRows::narrow(const OperatorTable& operators, OperatorFamilyKind family) {
    for_each_predicate(rows_, operators, family, [&](LiteralCode code, Accepted& row) {
        const std::uint32_t holds = holds_[slot_of_[code.index()] * words_ + row.word];
        row.events &= code.negated() ? ~holds : holds;
    });
    std::erase_if(rows_, [](const Row& r) { return r.row.events == 0; });
}

void DeferredRows::forget_questions() {
    for (const std::uint32_t predicate : predicates_) slot_of_[predicate] = none;
    predicates_.clear();
    texts_.clear();
    event_of_.clear();
    drafts_.clear();
    pairs_.clear();
}

}  // namespace sluice
