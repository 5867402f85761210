// A merge of parts on its own thread while the set continues. Subscriptions removed from the set meanwhile are then
// removed from the result, too. Belongs to the set's thread.
#pragma once

#include <future>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "gpu/cpu/part.hpp"
#include "gpu/cpu/slot_table.hpp"
#include "gpu/cpu/worker.hpp"

namespace sluice::cpu {

class BackgroundMerge {
public:
    bool is_running() const { return running_.valid(); }
    bool has_ended() const { return running_.valid() && is_ready(running_); }
    bool replaces(const Segment& segment) const;  // whether it is one of the sources

    // Runs merge(), which makes parts of these sources. Adds the sources to those of an earlier step whose result it
    // continues.
    template <class Merge>
    void begin(const std::vector<MergeSource>& sources, Merge merge) {
        sources_.insert(sources_.end(), sources.begin(), sources.end());
        running_ = worker_.run(std::move(merge));
    }
    void note_removal(engine::SubscriptionId id) noexcept {
        if (is_running() && !note(removed_, id)) has_lost_removals_ = true;
    }
    // For lack of memory: the result may contain subscriptions that have been removed meanwhile.
    bool has_lost_removals() const { return has_lost_removals_; }

    // Call after it has ended. Returns nothing if much was removed meanwhile: the other thread then applies the
    // removals.
    std::optional<std::vector<Part>> take();
    // Forgets and returns the sources. Either the result has replaced them, or the merge has failed.
    std::vector<MergeSource> finish();

private:
    std::future<std::vector<Part>> running_;
    std::vector<MergeSource> sources_;
    std::vector<engine::SubscriptionId> removed_;
    bool has_lost_removals_ = false;
    Worker worker_;
};

}  // namespace sluice::cpu
