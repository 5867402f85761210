#include "broker/core/stream_counters.hpp"

#include <algorithm>
#include <utility>

namespace sluice::broker {

StreamCountsPtr StreamCounters::of(std::string_view stream) {
    const std::lock_guard lock(mutex_);
    if (entries_.size() >= forget_at_) forget_unused();
    return entries_[std::string(stream)].counts;
}

std::size_t StreamCounters::size() const {
    const std::lock_guard lock(mutex_);
    return entries_.size();
}

StreamCounters::Reading StreamCounters::read() {
    const std::lock_guard lock(mutex_);
    if (now_() >= choose_at_) {
        forget_unused();
        choose_names();
        choose_at_ = now_() + renaming_interval;
    }
    // A counter that rises meanwhile is read once.
    Reading reading;
    reading.other = forgotten_;
    for (auto& [stream, entry] : entries_) {
        const auto named = named_.find(stream);
        if (named == named_.end()) {
            entry.reported = numbers(entry);
            reading.other += entry.reported;
            continue;
        }
        reading.other += named->second;
        reading.named.emplace_back(stream, numbers(entry) - named->second);
    }
    std::sort(reading.named.begin(), reading.named.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    return reading;
}

void StreamCounters::forget_unused() {
    std::erase_if(entries_, [this](const auto& entry) {
        if (entry.second.counts.use_count() != 1) return false;
        forgotten_ += numbers(entry.second);
        named_.erase(entry.first);
        return true;
    });
    forget_at_ = std::max(forgets_at_least, 2 * entries_.size());
}

void StreamCounters::choose_names() {
    using Busy = std::pair<std::uint64_t, const std::string*>;
    std::vector<Busy> named, others;
    for (auto& [stream, entry] : entries_) {
        const Numbers now = numbers(entry);
        (named_.contains(stream) ? named : others).emplace_back((now - entry.seen).sum(), &stream);
        entry.seen = now;
    }
    const auto less = [](const Busy& a, const Busy& b) {
        return a.first != b.first ? a.first < b.first : *a.second > *b.second;
    };
    std::sort(named.begin(), named.end(), less);
    std::sort(others.rbegin(), others.rend(), less);
    auto idle = named.begin();
    for (const auto& [activity, stream] : others) {
        if (named_.size() == named_max_) {
            if (idle == named.end() || activity <= 2 * idle->first) break;
            const std::string& left = *idle++->second;
            entries_[left].reported = numbers(entries_[left]);
            named_.erase(left);
        }
        named_[*stream] = entries_[*stream].reported;
    }
}

}  // namespace sluice::broker
