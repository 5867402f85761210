#include "gpu/cpu/segment.hpp"

#include <algorithm>
#include <tuple>

namespace sluice {

// Phase 3: turns targets into matches. An entry that several events of one word lead to gets one match; the
// conjunctions of a group are ORed first.
class Segment::Output {
public:
    Output(const Segment& segment, const Bitmap* removed, Scratch& scratch, std::vector<Match>& matches)
        : segment_(segment), removed_(removed), scratch_(scratch), matches_(matches), begin_(matches.size()) {
        if (scratch.last_match.size() < segment.size()) scratch.last_match.resize(segment.size());
    }

    // Any number of times for one target and word.
    void accept_event(Target target, std::uint32_t event) {
        const std::uint32_t word = event / 32, bit = 1u << event % 32;
        if (target.is_group()) {
            scratch_.groups.push_back({target.index(), word, bit});
            return;
        }
        if (is_removed(target.index())) return;
        const SubscriptionId id = segment_.entries_[target.index()];
        // Whatever stands in last_match, it points to this entry's match if the match there is this entry's.
        std::uint32_t& last = scratch_.last_match[target.index()];
        if (const std::size_t at = begin_ + last;
            at < matches_.size() && matches_[at].subscription == id && matches_[at].word == word) {
            matches_[at].accepted |= bit;
            return;
        }
        last = static_cast<std::uint32_t>(matches_.size() - begin_);
        matches_.push_back({id, word, bit});
    }

    // Once for an entry and word.
    void accept_word(Target target, std::uint32_t word, std::uint32_t events) {
        if (target.is_group())
            scratch_.groups.push_back({target.index(), word, events});
        else if (!is_removed(target.index()))
            matches_.push_back({segment_.entries_[target.index()], word, events});
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
            for (const std::uint32_t entry : segment_.group(first.group)) {
                if (!is_removed(entry)) matches_.push_back({segment_.entries_[entry], first.word, events});
            }
        }
        groups.clear();
    }

private:
    bool is_removed(std::uint32_t entry) const { return removed_ != nullptr && removed_->test(entry); }

    const Segment& segment_;
    const Bitmap* removed_;
    Scratch& scratch_;
    std::vector<Match>& matches_;
    std::size_t begin_;
};

void Segment::match(const EventBatch& batch, const Bitmap* removed, ScanCache& scans, Scratch& scratch,
                    std::vector<Match>& matches) const {
    Output output(*this, removed, scratch, matches);
    const std::size_t step = 32 * scan_.words_at_once();
    for (std::size_t first = 0; first < batch.size(); first += step) {
        const std::size_t end = std::min(batch.size(), first + step);
        if (!scan_.empty()) scan_.begin(end - first, scratch.scan);
        for (std::size_t e = first; e < end; ++e) {
            tables_.evaluate(batch.event(e), scratch.state);
            const auto event = static_cast<std::uint32_t>(e);
            access_.match(tables_, scratch.state, event, scans, scratch.access,
                          [&](std::uint32_t target) { output.accept_event(Target(target), event); });
            if (!scan_.empty()) scan_.set(scratch.state, e - first, scratch.scan);
            tables_.forget(scratch.state);
        }
        if (scan_.empty()) continue;
        const auto first_word = static_cast<std::uint32_t>(first / 32);
        scan_.match(tables_, first, scans, scratch.scan,
                    [&](std::uint32_t target, std::uint32_t word, std::uint32_t events) {
                        output.accept_word(Target(target), first_word + word, events);
                    });
    }
    output.finish();
}

std::uint32_t Segment::find(SubscriptionId id) const {
    const auto at = std::lower_bound(entries_.begin(), entries_.end(), id.slot,
                                     [](const SubscriptionId& e, std::uint32_t slot) { return e.slot < slot; });
    return at != entries_.end() && *at == id ? static_cast<std::uint32_t>(at - entries_.begin()) : none;
}

std::size_t Segment::bytes() const {
    return tables_.bytes() + access_.bytes() + scan_.bytes() + entries_.capacity() * sizeof(SubscriptionId) +
           4 * (group_ends_.capacity() + group_entries_.capacity());
}

}  // namespace sluice
