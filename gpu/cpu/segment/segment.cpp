#include "gpu/cpu/segment/segment.hpp"

#include <algorithm>
#include <array>
#include <tuple>

#include "gpu/check/check.hpp"
#include "gpu/cpu/segment/partly_known_events.hpp"

namespace sluice::cpu {

namespace {

// Makes one of those with the same target and word.
void combine(std::vector<Accepted>& accepted) {
    const auto key = [](const Accepted& a) { return std::tuple(a.word, a.target); };
    std::sort(accepted.begin(), accepted.end(), [&](const Accepted& a, const Accepted& b) { return key(a) < key(b); });
    std::size_t size = 0;
    for (const Accepted& a : accepted) {
        if (size > 0 && key(accepted[size - 1]) == key(a))
            accepted[size - 1].events |= a.events;
        else
            accepted[size++] = a;
    }
    accepted.resize(size);
}

}  // namespace

// Phase 3: turns targets into matches. An entry reached by several events of one word gets one match; the conjunctions
// of a group are ORed first.
class Segment::Output {
public:
    Output(const Segment& segment, const Bitmap* removed, Scratch& scratch, std::vector<engine::Match>& matches)
        : segment_(segment),
          removed_(removed),
          scratch_(scratch),
          matches_(matches),
          begin_(matches.size()),
          is_large_(segment.size() > scratch.last_match_max) {
        if (!is_large_ && scratch.last_match.size() < segment.size()) scratch.last_match.resize(segment.size());
    }

    // Accepts each (target, word) any number of times, and changes the list. In a large segment, only one call may
    // accept an entry for a word, unless merge() follows. This holds, since an entry has one row, which is decided
    // either at once or, with a measured literal, at the end.
    void accept_events(std::vector<Accepted>& accepted) {
        if (is_large_) {
            combine(accepted);
            return accept_words(accepted);
        }
        for (std::size_t i = 0; i < accepted.size(); ++i) {
            if (i + prefetch_distance < accepted.size()) {
                const RowTarget ahead(accepted[i + prefetch_distance].target);
                if (!ahead.is_group()) prefetch(&segment_.entries_[ahead.index()]);
                if (!ahead.is_group()) prefetch(&scratch_.last_match[ahead.index()]);
            }
            accept_event(accepted[i]);
        }
    }

    // Accepts each (entry, word) once.
    void accept_words(std::span<const Accepted> accepted) {
        for (std::size_t i = 0; i < accepted.size(); ++i) {
            if (i + prefetch_distance < accepted.size()) {
                const RowTarget ahead(accepted[i + prefetch_distance].target);
                if (!ahead.is_group()) prefetch(&segment_.entries_[ahead.index()]);
            }
            const Accepted& a = accepted[i];
            if (RowTarget(a.target).is_group())
                scratch_.groups.push_back({RowTarget(a.target).index(), a.word, a.events});
            else
                add(a.target, a.word, a.events);
        }
    }

    // Rows that could not be decided: appends their subscriptions and events to `undecided`, each target and word once,
    // since a filter may have many such rows.
    void report(std::vector<Accepted>& rows, std::vector<engine::Match>* undecided) const {
        combine(rows);
        for (const Accepted& row : rows) {
            const std::uint32_t index = RowTarget(row.target).index();
            const bool is_group = RowTarget(row.target).is_group();
            for (const std::uint32_t entry : is_group ? segment_.group(index) : std::span(&index, 1)) {
                if (undecided != nullptr && !is_removed(entry))
                    undecided->push_back({segment_.entries_[entry], row.word, row.events});
            }
        }
        rows.clear();
    }

    void finish() {
        auto& groups = scratch_.groups;
        std::sort(groups.begin(), groups.end(), [](const Scratch::GroupMatch& a, const Scratch::GroupMatch& b) {
            return std::tie(a.group, a.word) < std::tie(b.group, b.word);
        });
        for (std::size_t i = 0; i < groups.size();) {
            const Scratch::GroupMatch first = groups[i];
            std::uint32_t events = 0;
            for (; i < groups.size() && groups[i].group == first.group && groups[i].word == first.word; ++i)
                events |= groups[i].events;
            const auto entries = segment_.group(first.group);
            for (std::size_t e = 0; e < entries.size(); ++e) {
                if (e + prefetch_distance < entries.size())
                    prefetch(&segment_.entries_[entries[e + prefetch_distance]]);
                add(entries[e], first.word, events);
            }
        }
        groups.clear();
    }

    // Makes one match of those of the same subscription and word. Only needed if events were not taken in order.
    void merge() {
        const auto first = matches_.begin() + static_cast<std::ptrdiff_t>(begin_);
        const auto key = [](const engine::Match& m) {
            return std::tuple(m.subscription.slot, m.subscription.generation, m.word);
        };
        std::sort(first, matches_.end(),
                  [&](const engine::Match& a, const engine::Match& b) { return key(a) < key(b); });
        auto last = first;
        for (auto match = first; match != matches_.end(); ++match) {
            if (match == first) continue;
            if (key(*match) == key(*last))
                last->accepted |= match->accepted;
            else
                *++last = *match;
        }
        if (first != matches_.end()) matches_.erase(last + 1, matches_.end());
    }

private:
    void add(std::uint32_t entry, std::uint32_t word, std::uint32_t events) {
        if (!is_removed(entry)) matches_.push_back({segment_.entries_[entry], word, events});
    }

    void accept_event(const Accepted& a) {
        const RowTarget target(a.target);
        if (target.is_group()) {
            scratch_.groups.push_back({target.index(), a.word, a.events});
            return;
        }
        if (is_removed(target.index())) return;
        const engine::SubscriptionId id = segment_.entries_[target.index()];
        // last_match may be stale: it counts only if the match at that place is this entry's, for this word.
        std::uint32_t& last = scratch_.last_match[target.index()];
        if (const std::size_t at = begin_ + last;
            at < matches_.size() && matches_[at].subscription == id && matches_[at].word == a.word) {
            matches_[at].accepted |= a.events;
            return;
        }
        last = static_cast<std::uint32_t>(matches_.size() - begin_);
        matches_.push_back({id, a.word, a.events});
    }

    bool is_removed(std::uint32_t entry) const { return removed_ != nullptr && removed_->test(entry); }

    const Segment& segment_;
    const Bitmap* removed_;
    Scratch& scratch_;
    std::vector<engine::Match>& matches_;
    std::size_t begin_;
    const bool is_large_;  // too large for last_match
};

void Segment::match(const engine::EventBatch& batch, const Bitmap* removed, ScanCache& scans, Scratch& scratch,
                    std::vector<engine::Match>& matches) const {
    Output output(*this, removed, scratch, matches);
    scratch.shared.begin(tables_, batch);
    const std::size_t step = 32 * clusters_.words_at_once();
    for (std::size_t first = 0; first < batch.size(); first += step) {
        const std::size_t end = std::min(batch.size(), first + step);
        if (!clusters_.empty()) clusters_.begin(end - first, scratch.clusters);
        for (std::size_t e = first; e < end; ++e) {
            if (!batch.is_wholly_known(e)) {
                if (!clusters_.empty()) clusters_.leave_out(e - first, scratch.clusters);
                continue;
            }
            scratch.shared.evaluate(e, scratch.state);
            const auto event = static_cast<std::uint32_t>(e);
            access_.match(tables_, scratch.state, event, scans, scratch.access, scratch.accepted, scratch.deferred);
            if (!clusters_.empty()) clusters_.set(scratch.state, e - first, scratch.clusters);
            tables_.forget(scratch.state);
        }
        output.accept_events(scratch.accepted);
        scratch.accepted.clear();
        if (clusters_.empty()) continue;
        clusters_.match(tables_, first, scans, scratch.clusters, scratch.deferred,
                        [&](std::span<const Accepted> accepted) { output.accept_words(accepted); });
    }
    if (!batch.unknown.empty()) {
        PartlyKnownEvents(tables_, batch, scans, scratch.shared, scratch.state)
            .match({access_, clusters_, entries_.size()}, {scratch.accepted, scratch.deferred, scratch.deferred_codes});
        output.accept_events(scratch.accepted);
        scratch.accepted.clear();
    }
    end(batch, output, scans, scratch);
    if (!batch.unknown.empty()) output.merge();
}

void Segment::end(const engine::EventBatch& batch, Output& output, ScanCache& scans, Scratch& scratch) const {
    if (!scratch.deferred.empty()) {
        scratch.deferred.decide(tables_, batch, scratch.shared, scratch.accepted, scans.undecided());
        output.accept_events(scratch.accepted);
        scratch.accepted.clear();
    }
    if (batch.work != nullptr) batch.work->contains += scratch.state.searches;
    scratch.state.searches = {};
    output.report(scans.undecided(), batch.undecided);
    output.finish();
}

namespace {

// Sorts by the word of the event; uses `room` for the result unless it is already sorted.
std::span<const FoundRow> by_word(std::span<const FoundRow> found, std::size_t words, std::vector<FoundRow>& room) {
    const auto word = [](const FoundRow& f) { return (f.event_and_kind & FoundRow::event_mask) / 32; };
    if (words < 2) return found;
    std::array<std::size_t, engine::EventBatch::events_max / 32 + 1> begin{};
    for (const FoundRow& f : found) {
        SLUICE_CHECK(word(f) < words);
        ++begin[word(f) + 1];
    }
    for (std::size_t w = 0; w < words; ++w) begin[w + 1] += begin[w];
    room.resize(std::max(room.size(), found.size()));
    for (const FoundRow& f : found) room[begin[word(f)]++] = f;
    return std::span(room).first(found.size());
}

}  // namespace

void Segment::finish(const engine::EventBatch& batch, const Bitmap* removed, std::span<const FoundRow> found,
                     std::optional<std::span<const ClusterHit>> cluster_hits, ScanCache& scans, Scratch& scratch,
                     std::vector<engine::Match>& matches) const {
    Output output(*this, removed, scratch, matches);
    scratch.shared.begin(tables_, batch);
    // Output takes events word by word; each event's rows were found together.
    for (const FoundRow& f : by_word(found, batch.words(), scratch.found)) {
        const std::uint32_t event = f.event_and_kind & FoundRow::event_mask;
        SLUICE_CHECK(event < batch.size());
        if ((f.event_and_kind & FoundRow::unmatched) != 0) {
            scratch.shared.evaluate(event, scratch.state);
            access_.match(tables_, scratch.state, event, scans, scratch.access, scratch.accepted, scratch.deferred);
            tables_.forget(scratch.state);
        } else if ((f.event_and_kind & FoundRow::unfinished) != 0) {
            access_.finish(tables_, f.row, event, scans, scratch.accepted, scratch.deferred);
        } else {
            scratch.accepted.push_back({f.row, event / 32, 1u << event % 32});
        }
    }
    output.accept_events(scratch.accepted);
    scratch.accepted.clear();
    if (cluster_hits) {
        clusters_.finish(tables_, *cluster_hits, scans, scratch.deferred, scratch.accepted);
        output.accept_words(scratch.accepted);
        scratch.accepted.clear();
    } else if (!clusters_.empty()) {
        match_cluster_rows(batch, output, scans, scratch);
    }
    end(batch, output, scans, scratch);
}

void Segment::match_cluster_rows(const engine::EventBatch& batch, Output& output, ScanCache& scans,
                                 Scratch& scratch) const {
    const std::size_t step = 32 * clusters_.words_at_once();
    for (std::size_t first = 0; first < batch.size(); first += step) {
        const std::size_t end = std::min(batch.size(), first + step);
        clusters_.begin(end - first, scratch.clusters);
        for (std::size_t e = first; e < end; ++e) {
            scratch.shared.evaluate(e, scratch.state);
            clusters_.set(scratch.state, e - first, scratch.clusters);
            tables_.forget(scratch.state);
        }
        clusters_.match(tables_, first, scans, scratch.clusters, scratch.deferred,
                        [&](std::span<const Accepted> accepted) { output.accept_words(accepted); });
    }
}

std::uint32_t Segment::find(engine::SubscriptionId id) const {
    const auto at = std::lower_bound(entries_.begin(), entries_.end(), id.slot,
                                     [](const engine::SubscriptionId& e, std::uint32_t slot) { return e.slot < slot; });
    return at != entries_.end() && *at == id ? static_cast<std::uint32_t>(at - entries_.begin()) : engine::none;
}

double Segment::rows_found(std::span<const SampledEvent> events) const {
    if (events.empty()) return 0;
    engine::EventState state;
    AccessRows::Scratch scratch;
    std::vector<engine::Value> values;
    double sum = 0;
    for (const SampledEvent& event : events) {
        event.values(values);
        tables_.evaluate(values, state);
        sum += access_.rows_found(tables_, state, scratch);
        tables_.forget(state);
    }
    return sum / static_cast<double>(events.size());
}

}  // namespace sluice::cpu
