#include "gpu/cpu/deferred_rows.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
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
        if (questions_.empty()) continue;
        collect_pairs(tables, batch);
        evaluate(*family, batch);
        narrow(operators, kind, undecided);
        forget_questions(operators);
    }
    for (const Row& r : rows_) accepted.push_back(r.row);
    rows_.clear();
}

void DeferredRows::ask(const OperatorTable& operators, OperatorFamilyKind family) {
    if (slot_of_.size() < operators.size()) slot_of_.resize(operators.size(), none);
    for_each_predicate(rows_, operators, family, [&](LiteralCode code, const Accepted&) {
        const std::uint32_t p = code.index();
        if (slot_of_[p] == none) questions_.push_back({p, operators.attribute(p), operators.index_in_family(p), 0, {}});
        slot_of_[p] = 0;
    });
    std::sort(questions_.begin(), questions_.end(),
              [](const Question& a, const Question& b) { return a.predicate < b.predicate; });
    for (std::uint32_t slot = 0; slot < questions_.size(); ++slot) {
        Question& q = questions_[slot];
        slot_of_[q.predicate] = slot;
        std::uint32_t& first = slot_of_[operators.computed_with(q.predicate)];
        if (first == none) first = slot;  // it is not asked itself; forgotten with those that are
        q.computed_with = first;
        q.cost = operators.cost(q.predicate);
    }
    asked_.assign(questions_.size() * words_, 0);
    holds_.assign(questions_.size() * words_, 0);
    left_out_.assign(questions_.size() * words_, 0);
    latest_computed_.assign(questions_.size(), none);
    for_each_predicate(rows_, operators, family, [&](LiteralCode code, const Accepted& row) {
        asked_[slot_of_[code.index()] * words_ + row.word] |= row.events;
    });
}

// visit(slot, event) for all that is asked, by slot.
template <class Visit>
void DeferredRows::for_each_asked(Visit visit) const {
    for (std::size_t at = 0; at < asked_.size(); ++at) {
        for (std::uint32_t bits = asked_[at]; bits != 0; bits &= bits - 1)
            visit(static_cast<std::uint32_t>(at / words_),
                  static_cast<std::uint32_t>(at % words_ * 32 + static_cast<unsigned>(std::countr_zero(bits))));
    }
}

void DeferredRows::sort_questions_by_event(std::size_t events) {
    first_of_event_.assign(events + 2, 0);  // for now, two places on
    for_each_asked([&](std::uint32_t, std::uint32_t event) { ++first_of_event_[event + 2]; });
    std::partial_sum(first_of_event_.begin(), first_of_event_.end(), first_of_event_.begin());
    slots_.resize(first_of_event_.back());
    for_each_asked([&](std::uint32_t slot, std::uint32_t event) { slots_[first_of_event_[event + 1]++] = slot; });
}

void DeferredRows::collect_pairs(const PredicateTables& tables, const EventBatch& batch) {
    sort_questions_by_event(batch.size());
    latest_texts_.assign(tables.attributes(), {});
    for (std::uint32_t event = 0; event < batch.size(); ++event) {
        const std::size_t first = drafts_.size(), first_text = texts_.size();
        for (std::uint32_t i = first_of_event_[event]; i < first_of_event_[event + 1]; ++i) {
            const std::uint32_t slot = slots_[i];
            const Question& question = questions_[slot];
            const Texts& texts = texts_of(tables, batch, question.attribute, event);
            for (std::uint32_t text = texts.first; text < texts.first + texts.count; ++text) {
                if (question.cost.ns(texts_[text].size()) > batch.operator_ns_max)
                    left_out_[slot * words_ + event / 32] |= 1u << event % 32;
                else
                    drafts_.push_back({slot, text});
            }
        }
        if (texts_.size() - first_text < 2) continue;
        std::stable_sort(drafts_.begin() + static_cast<std::ptrdiff_t>(first), drafts_.end(),
                         [](const Draft& a, const Draft& b) { return a.text < b.text; });
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

// What the pair adds to what those before it take.
double DeferredRows::added_ns(const Draft& draft) {
    const Question& question = questions_[draft.slot];
    std::uint32_t& latest = latest_computed_[question.computed_with];
    return std::exchange(latest, draft.text) == draft.text ? 0 : question.cost.ns(texts_[draft.text].size());
}

// In pieces that can be paused between.
void DeferredRows::evaluate(const OperatorFamily& family, const EventBatch& batch) {
    OperatorWork ignored;
    OperatorWork& work = batch.work != nullptr ? *batch.work : ignored;
    for (std::size_t first = 0; first < drafts_.size();) {
        pairs_.clear();
        double ns = 0;
        for (std::size_t i = first; i < drafts_.size() && (pairs_.empty() || ns < piece_ns); ++i) {
            pairs_.push_back({questions_[drafts_[i].slot].index_in_family, drafts_[i].text});
            ns += added_ns(drafts_[i]);
        }
        answers_.assign(pairs_.size(), 0);
        if (ns >= piece_ns && batch.pause) batch.pause();
        family.evaluate(texts_, pairs_, answers_, work);
        for (std::size_t i = 0; i < pairs_.size(); ++i) {
            if (answers_[i] == 0) continue;
            const Draft& draft = drafts_[first + i];
            const std::uint32_t event = event_of_[draft.text];
            holds_[draft.slot * words_ + event / 32] |= 1u << event % 32;
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
    for (const Question& question : questions_)
        slot_of_[question.predicate] = slot_of_[operators.computed_with(question.predicate)] = none;
    questions_.clear();
    texts_.clear();
    event_of_.clear();
    drafts_.clear();
    pairs_.clear();
}

}  // namespace sluice
