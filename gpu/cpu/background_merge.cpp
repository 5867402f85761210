#include "gpu/cpu/background_merge.hpp"

#include <algorithm>

namespace sluice::cpu {

namespace {

constexpr std::size_t catch_up_max = 1024;  // removals that the caller's thread applies to the result

std::vector<Part> catch_up(std::vector<Part> merged, const std::vector<engine::SubscriptionId>& removed) {
    for (const engine::SubscriptionId id : removed)
        std::any_of(merged.begin(), merged.end(), [id](Part& part) { return part.remove(id); });
    return merged;
}

}  // namespace

bool BackgroundMerge::replaces(const Segment& segment) const {
    return std::any_of(sources_.begin(), sources_.end(),
                       [&](const MergeSource& source) { return source.segment.get() == &segment; });
}

std::optional<std::vector<Part>> BackgroundMerge::take() {
    std::vector<Part> merged = running_.get();
    if (removed_.size() <= catch_up_max) return catch_up(std::move(merged), std::exchange(removed_, {}));
    running_ = worker_.run([parts = std::move(merged), removed = std::exchange(removed_, {})]() mutable {
        return catch_up(std::move(parts), removed);
    });
    return std::nullopt;
}

std::vector<MergeSource> BackgroundMerge::finish() {
    removed_.clear();
    has_lost_removals_ = false;
    return std::exchange(sources_, {});
}

}  // namespace sluice::cpu
