#include "gpu/operators/alignment_family.hpp"

#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "gpu/operators/alignment/scheme/reference.hpp"

namespace sluice::operators {

namespace {

using alignment::Mode;

// The bounds as "at least `score`" or, if `flipped`, its opposite, if they say that. Scores are whole numbers.
struct ScoreThreshold {
    std::int32_t score;
    bool flipped;
};
std::optional<ScoreThreshold> score_threshold(const Bounds& b) {
    constexpr double score_max = std::numeric_limits<std::int32_t>::max();
    const double least = b.hi == infinity ? std::ceil(b.lo) : std::floor(b.hi) + 1;
    const bool one_sided = (b.hi == infinity) != (b.lo == -infinity);
    if (b.outside || !one_sided || !(std::abs(least) < score_max)) return std::nullopt;
    return ScoreThreshold{static_cast<std::int32_t>(least), b.hi != infinity};
}

constexpr std::int32_t no_threshold = std::numeric_limits<std::int32_t>::min();

std::uint32_t size_of(const alignment::SequenceSet& set) { return static_cast<std::uint32_t>(set.size()); }

bool fits(const AlignmentFamily::Group& group, std::size_t m, std::size_t n) {
    return n < group.letters_for_all || !too_long(group.scheme, m, n);
}

std::size_t letters_for_all(const AlignmentFamily::Group& group) {
    std::size_t letters = 0;
    for (std::size_t bit = std::size_t{1} << 31; bit != 0; bit /= 2) {
        if (!too_long(group.scheme, group.queries.longest(), letters + bit)) letters += bit;
    }
    return letters;
}

}  // namespace

// A call's work for one group: the texts, encoded by its scheme, and the pairs, by what decides them.
struct AlignmentFamily::Asked {
    alignment::SequenceSet texts;
    std::vector<alignment::Pair> by_threshold, by_score;
    std::vector<std::int32_t> thresholds;
    std::vector<std::uint8_t> flipped;
    std::vector<std::uint32_t> threshold_places, score_places;  // indices in the call's pairs
    std::vector<Bounds> bounds;
    std::uint64_t cells = 0;
    std::uint32_t latest_text = std::numeric_limits<std::uint32_t>::max();
    std::size_t latest_length = 0;

    void reserve(std::size_t pairs) {  // those decided by thresholds, as most are
        by_threshold.reserve(pairs);
        thresholds.reserve(pairs);
        flipped.reserve(pairs);
        threshold_places.reserve(pairs);
    }
    void add(const alignment::Scheme& scheme, std::uint32_t text, std::string_view utf8) {
        if (text == latest_text) return;
        texts.add(scheme.encode(utf8));
        latest_text = text;
        latest_length = texts.length(texts.size() - 1);
    }
};

AlignmentFamily::AlignmentFamily(const std::vector<MeasuredPredicate>& predicates) {
    std::map<std::pair<engine::Measure::Kind, std::string>, std::uint32_t> groups;
    for (const MeasuredPredicate& p : predicates) {
        const engine::Measure& m = p.measure;
        const auto [known, is_new] = groups.try_emplace({m.kind, m.scheme}, static_cast<std::uint32_t>(groups_.size()));
        if (is_new) {
            const Mode mode = m.kind == engine::Measure::Kind::align ? Mode::local : Mode::global;
            groups_.push_back({alignment::parse_scheme(m.scheme).scheme, mode, m.kind, {}, {}, 0, {}});
        }
        Group& group = groups_[known->second];
        const auto threshold = score_threshold(p.bounds);
        const ScoreThreshold t = threshold.value_or(ScoreThreshold{no_threshold, false});
        const Decides decides = !threshold ? Decides::score : t.flipped ? Decides::not_reaching : Decides::reaching;
        entries_.push_back({known->second, size_of(group.queries), t.score, decides, p.bounds});
        group.queries.add(group.scheme.encode(m.operand));
        group.thresholds.push_back(t.score);
    }
    for (Group& group : groups_) {
        group.letters_for_all = letters_for_all(group);
        if (group.mode == Mode::local)
            group.filter = alignment::KmerFilter::make(group.scheme, group.queries, group.thresholds);
    }
}

double AlignmentFamily::device_cells(std::span<const std::string_view> texts, std::span<const Pair> pairs) const {
    double cells = 0;
    for (const Pair& pair : pairs) {
        const Entry& entry = entries_[pair.predicate];
        const Group& group = groups_[entry.group];
        const std::size_t m = group.queries.length(entry.query), n = texts[pair.text].size();
        if (fits(group, m, n)) cells += static_cast<double>(m) * static_cast<double>(n);
    }
    return cells;
}

void AlignmentFamily::evaluate(std::span<const std::string_view> texts, std::span<const Pair> pairs,
                               std::span<std::uint8_t> holds, OperatorWork& work, AlignmentSolver* solver) const {
    std::vector<Asked> asked(groups_.size());
    if (groups_.size() == 1) asked.front().reserve(pairs.size());
    PairCounter counter(work);
    for (std::uint32_t i = 0; i < pairs.size(); ++i) {
        const Entry& entry = entries_[pairs[i].predicate];
        const Group& group = groups_[entry.group];
        Asked& a = asked[entry.group];
        a.add(group.scheme, pairs[i].text, texts[pairs[i].text]);
        OperatorWork::Kind& w = counter.add(group.kind, pairs[i].text, solver != nullptr);
        holds[i] = 0;
        const std::size_t m = group.queries.length(entry.query), n = a.latest_length;
        if (!fits(group, m, n)) {
            ++w.unreadable;
            continue;
        }
        a.cells += std::uint64_t{m} * n;
        const alignment::Pair pair{entry.query, size_of(a.texts) - 1};
        if (entry.decides == Decides::score) {
            a.by_score.push_back(pair);
            a.bounds.push_back(entry.bounds);
            a.score_places.push_back(i);
        } else {
            a.by_threshold.push_back(pair);
            a.thresholds.push_back(entry.threshold);
            a.flipped.push_back(entry.decides == Decides::not_reaching);
            a.threshold_places.push_back(i);
        }
    }
    for (std::size_t g = 0; g < groups_.size(); ++g) evaluate(g, asked[g], holds, work, solver);
}

// Decides the pairs that can't reach their thresholds, and leaves the others in `a`.
void AlignmentFamily::skip_impossible(const Group& group, Asked& a, std::span<std::uint8_t> holds, OperatorWork& work) {
    OperatorWork::Kind& w = work.of(group.kind);
    std::vector<std::uint8_t> possible(a.by_threshold.size(), 1);
    group.filter->skip(a.texts, a.by_threshold, a.thresholds, possible);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < possible.size(); ++i) {
        if (possible[i] == 0) {
            holds[a.threshold_places[i]] = a.flipped[i];
            w.holds += a.flipped[i];
            continue;
        }
        a.by_threshold[kept] = a.by_threshold[i];
        a.thresholds[kept] = a.thresholds[i];
        a.flipped[kept] = a.flipped[i];
        a.threshold_places[kept++] = a.threshold_places[i];
    }
    a.by_threshold.resize(kept);
    a.thresholds.resize(kept);
    w.filter_hits += kept;
    w.verified += kept;
}

void AlignmentFamily::evaluate(std::size_t index, Asked& a, std::span<std::uint8_t> holds, OperatorWork& work,
                               AlignmentSolver* solver) const {
    const Group& group = groups_[index];
    OperatorWork::Kind& w = work.of(group.kind);
    w.cells += a.cells;
    if (solver != nullptr) w.on_device.cells += a.cells;
    if (solver == nullptr && group.filter && !a.by_threshold.empty()) skip_impossible(group, a, holds, work);
    if (!a.by_threshold.empty()) {
        std::vector<std::uint8_t> hits(a.by_threshold.size());
        if (solver != nullptr)
            solver->reaches(index, a.texts, a.by_threshold, a.thresholds, hits);
        else
            align_reaches(group.scheme, group.mode, group.queries, a.texts, a.by_threshold, a.thresholds, hits);
        for (std::size_t i = 0; i < hits.size(); ++i) w.holds += holds[a.threshold_places[i]] = hits[i] != a.flipped[i];
    }
    if (!a.by_score.empty()) {
        std::vector<std::int32_t> scores(a.by_score.size());
        if (solver != nullptr)
            solver->scores(index, a.texts, a.by_score, scores);
        else
            align_many(group.scheme, group.mode, group.queries, a.texts, a.by_score, scores);
        for (std::size_t i = 0; i < scores.size(); ++i)
            w.holds += holds[a.score_places[i]] = a.bounds[i].accept(scores[i]);
    }
}

}  // namespace sluice::operators
