#include "broker/core/matching/collected.hpp"

#include <algorithm>

namespace sluice::broker {

namespace {

constexpr std::uint32_t wide_from = 64;

}  // namespace

void Collected::withhold_undecided(std::span<const feed::Event> events, RowPermission* rows) {
    std::erase_if(found_, [&](const auto& each) {
        const auto& [place, wanted] = each;
        if (wanted.undecided == GapReason::none) return false;
        const auth::Scope& scope = subscribers_[place]->scope;
        if (!scope.is_filtered()) return false;
        const feed::Event& event = events[wanted.event];
        return rows == nullptr ? !scope.permits_all_of(*event.stream) : !rows->permits(scope, event);
    });
}

void Collected::sort(std::size_t events) {
    if (subscribers_.empty()) return;
    first_.assign(subscribers_.size() + 1, 0);
    for (const auto& [place, wanted] : found_) ++first_[place + 1];
    if (found_.size() >= wide_from) {
        fanout_.assign(events, 0);
        for (const auto& [place, wanted] : found_) ++fanout_[wanted.event];
    }
    for (std::size_t s = 0; s < subscribers_.size(); ++s) first_[s + 1] += first_[s];
    wanted_.resize(found_.size());
    for (const auto& [place, wanted] : found_) wanted_[first_[place]++] = wanted;
    release(found_);
    std::shift_right(first_.begin(), first_.end(), 1);  // each is where the next one begins now
    first_.front() = 0;
    for (std::size_t s = 0; s < subscribers_.size(); ++s) {
        const auto of_subscriber = std::span(wanted_).subspan(first_[s], first_[s + 1] - first_[s]);
        if (!std::is_sorted(of_subscriber.begin(), of_subscriber.end()))
            std::sort(of_subscriber.begin(), of_subscriber.end());
    }
}

bool Collected::is_wide(std::span<const Wanted> wanted) const {
    return !fanout_.empty() &&
           std::all_of(wanted.begin(), wanted.end(), [this](Wanted w) { return fanout_[w.event] >= wide_from; });
}

std::span<const Wanted> of_first_event(std::span<const Wanted> wanted) {
    std::size_t size = 1;
    while (size < wanted.size() && wanted[size].event == wanted[0].event) ++size;
    return wanted.first(size);
}

bool is_gap(std::span<const Wanted> of_event, std::size_t i) {
    if (of_event[i].undecided == GapReason::none || (i > 0 && of_event[i - 1] == of_event[i])) return false;
    return !std::binary_search(of_event.begin(), of_event.end(), Wanted{of_event[i].event, of_event[i].filter});
}

}  // namespace sluice::broker
