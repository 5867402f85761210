#include "gpu/cpu/cpu_set.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <iterator>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include "gpu/cpu/accelerator.hpp"
#include "gpu/cpu/access_review.hpp"
#include "gpu/cpu/background_merge.hpp"
#include "gpu/cpu/filter_limits.hpp"
#include "gpu/cpu/part.hpp"
#include "gpu/cpu/segment/segment_builder.hpp"
#include "gpu/cpu/slot_table.hpp"
#include "gpu/cpu/worker.hpp"

namespace sluice::cpu {

namespace {

// Larger merges run on another thread.
constexpr std::uint64_t inline_merge_max = 1024;        // subscriptions
constexpr std::uint64_t inline_words_max = 8'192;       // of their records
constexpr std::size_t names_min = 4096;                 // this many names are kept without checking their use
constexpr std::uint32_t pause_min = 8, pause_max = 64;  // calls of compile() before failed work is retried

// Copies the segment on the thread that made it, so that the copy is used from the first batch on.
std::shared_ptr<const Segment> mirrored(std::shared_ptr<const Segment> segment, Accelerator* accelerator) {
    if (accelerator != nullptr) accelerator->mirror(*segment);
    return segment;
}

class CpuSet final : public engine::SubscriptionSet {
public:
    CpuSet(std::shared_ptr<Accelerator> accelerator, const engine::SetLimits& limits)
        : limits_(limits),
          slots_(limits.slots),
          accelerator_(std::move(accelerator)),
          devices_(accelerator_ ? accelerator_->operator_devices() : nullptr) {}

    engine::SubscriptionId add(const engine::Disjunction& filter) override {
        if (const std::string reason = invalid_reason(filter); !reason.empty()) throw std::invalid_argument(reason);
        const engine::NormalForm form = engine::normalise(filter);
        const engine::SegmentLoad load = engine::load_bound(form);
        check_limits(form, load, limits_, names_);
        return slots_.add([&](engine::SubscriptionId id) {
            if (pending_ != nullptr && !limits_.segment.fit(pending_->load() + load)) add_pending_part();
            if (pending_ == nullptr) pending_ = std::make_unique<SegmentBuilder>();
            return pending_->add(id, form, names_.attributes, names_.scanned);
        });
    }

    bool remove(engine::SubscriptionId id) override {
        const std::uint32_t place = slots_.place(id);
        if (place == SlotTable::vacant) return false;
        if (place == SlotTable::in_segment) {
            std::any_of(parts_.begin(), parts_.end(), [id](Part& part) { return part.remove(id); });
            merge_.note_removal(id);
        } else {
            pending_->drop(place);
        }
        slots_.remove(id);
        return true;
    }

    std::size_t size() const override { return slots_.size(); }

    std::shared_ptr<const engine::Program> compile() override {
        add_pending_part();
        attempt([&] { release_retired(); });
        if (merge_.has_ended()) attempt([&] { end_merge(); });
        attempt([&] { retire_dead(); });
        attempt([&] { merge_small(); });
        if (pause_ > 0)
            --pause_;
        else if (!merge_.is_running())
            attempt([&] { begin_background_work(); });
        std::vector<ProgramPart> parts;
        for (Part& part : parts_) parts.push_back(part.publish());
        if (accelerator_) accelerator_->keep(parts);
        return std::make_shared<CpuProgram>(std::move(parts), names_.attributes.snapshot(), names_.scanned.snapshot(),
                                            review_.sample(), accelerator_);
    }

    std::size_t memory_bytes() const override {
        std::size_t bytes = freeing_->load() + names_.bytes() + (merge_.is_running() ? merge_bytes_ : 0);
        for (const Part& part : parts_) bytes += part.bytes();
        if (pending_ != nullptr) bytes += engine::segment_bytes(pending_->load());
        for (const MergeSource& source : retired_) bytes += engine::segment_bytes(source.segment->load());
        return bytes;
    }

    void ask_for_room(std::function<bool(std::size_t bytes)> ask) override { has_room_ = std::move(ask); }

    engine::EngineStatus status() const override {
        engine::EngineStatus status;
        if (accelerator_) {
            status = accelerator_->status();
        } else {
            status.backend = "cpu";
            status.reason = "the CPU matches, as configured";
        }
        status.background_failures = failures_;
        return status;
    }

private:
    // Merging, and choosing access literals anew, only make matching cheaper. If they fail (for lack of memory, for
    // example), everything stays as it was, and they are retried after some more calls of compile().
    template <class Work>
    void attempt(Work work) {
        try {
            work();
        } catch (const std::exception&) {
            ++failures_;
            pause_ = std::exchange(pause_after_failure_, std::min(2 * pause_after_failure_, pause_max));
            if (!merge_.is_running()) give_up_merge();
        }
    }

    // Smaller merges need less memory: none larger than half of it is begun before one has succeeded.
    void give_up_merge() {
        if (!merge_.finish().empty() && !renewal_) merge_max_ = std::max(inline_merge_max, merging_ / 2);
        renewal_.reset();
    }
    void allow_larger_merges() { merge_max_ = std::min(2 * merge_max_, limits_.segment.entries); }

    // Freeing a large segment takes milliseconds, so it is done neither on the caller's thread nor on a matching one.
    void release_retired() {
        const auto unused = std::partition(retired_.begin(), retired_.end(),
                                           [](const MergeSource& source) { return source.segment.use_count() > 1; });
        if (unused == retired_.end()) return;
        std::vector<MergeSource> list(std::make_move_iterator(unused), std::make_move_iterator(retired_.end()));
        std::size_t bytes = 0;
        for (const MergeSource& source : list) bytes += engine::segment_bytes(source.segment->load());
        retired_.erase(unused, retired_.end());
        freeing_->fetch_add(bytes);
        // If the task is not even posted, the segments have been freed here.
        auto freed = std::shared_ptr<void>(nullptr, [freeing = freeing_, bytes](void*) { freeing->fetch_sub(bytes); });
        helper_.post([freed = std::move(freed), list = std::move(list)]() mutable { list.clear(); });
    }

    void retire_dead() {
        const auto is_dead = [&](const Part& part) { return part.live() == 0 && !merge_.replaces(*part.segment); };
        for (const Part& part : parts_)
            if (is_dead(part)) retired_.push_back({part.segment, nullptr});
        std::erase_if(parts_, is_dead);
    }

    void retire_sources() {
        const std::vector<MergeSource> sources = merge_.finish();
        retired_.insert(retired_.end(), sources.begin(), sources.end());
    }

    // A heuristic: many names have been added since the last check, or many subscriptions removed.
    bool has_idle_names() const {
        const std::size_t weight = names_.attributes.weight() + names_.scanned.weight();
        return weight > names_max_ || (weight > names_min && slots_.size() < renewed_size_ / 2);
    }

    void begin_background_work() {
        if (has_idle_names()) return begin_renewal();
        begin_merge();
        if (!merge_.is_running()) choose_anew();
    }

    // If it throws, everything is still pending. Once the segment is made, nothing can fail.
    void add_pending_part() {
        if (pending_ == nullptr) return;
        if (pending_->size() > 0) {
            Bitmap none_removed(pending_->size());
            parts_.reserve(parts_.size() + 1);
            parts_.emplace_back(build_pending(), std::move(none_removed));
            const Segment& segment = *parts_.back().segment;
            if (accelerator_) accelerator_->mirror(segment);
            for (std::uint32_t i = 0; i < segment.size(); ++i) slots_.put(segment.entry(i), SlotTable::in_segment);
        }
        pending_.reset();
    }

    std::shared_ptr<const Segment> build_pending() {
        try {
            return pending_->build({}, devices_);
        } catch (...) {
            pending_->for_each([this](engine::SubscriptionId id, std::uint32_t number) { slots_.put(id, number); });
            throw;
        }
    }

    PartRange find_mergeable(std::size_t live_max, std::uint64_t words_max) const {
        return cpu::find_mergeable(parts_, limits_.segment, live_max, words_max,
                                   [this](const Part& part) { return merge_.replaces(*part.segment); });
    }
    std::span<Part> parts_in(const PartRange& range) {
        return std::span(parts_).subspan(range.first, range.end - range.first);
    }

    void merge_small() {
        const PartRange range = find_mergeable(inline_merge_max, inline_words_max);
        if (range.empty()) return;
        Part merged(mirrored(merge(sources_of(parts_in(range)), devices_), accelerator_.get()));
        parts_[range.first] = std::move(merged);
        const auto begin = parts_.begin();
        parts_.erase(begin + static_cast<std::ptrdiff_t>(range.first) + 1,
                     begin + static_cast<std::ptrdiff_t>(range.end));
    }

    void begin_merge() {
        const PartRange range = find_mergeable(merge_max_, limits_.segment.record_words);
        if (range.empty())
            allow_larger_merges();  // from the next call on
        else
            begin_merge(parts_in(range));
    }

    // Asks for what the result of a merge or renewal will take, and notes it.
    bool get_room(std::span<const Part> parts, bool renews = false) {
        merge_bytes_ = 0;
        for (const Part& part : parts) merge_bytes_ += part.live_bytes();
        if (renews && slots_.size() > 0) merge_bytes_ += names_.bytes();
        return !has_room_ || has_room_(2 * merge_bytes_);  // the builder has as much for a while
    }

    void begin_merge(std::span<Part> parts) {
        if (!get_room(parts)) return;
        merging_ = 0;
        for (const Part& part : parts) merging_ += part.live();
        const std::vector<MergeSource> list = sources_of(parts);
        merge_.begin(list, [list, sample = review_.sample(), a = accelerator_, devices = devices_] {
            std::vector<Part> merged;
            merged.emplace_back(mirrored(merge(list, devices, sample->events()), a.get()));
            return merged;
        });
    }

    // Rebuilds a segment that should have other access literals.
    void choose_anew() {
        if (review_.is_due()) return review_.begin(parts_, helper_);
        const std::shared_ptr<const Segment> misled = review_.take();
        const auto at = std::find_if(parts_.begin(), parts_.end(), [&](const Part& p) { return p.segment == misled; });
        if (at != parts_.end()) begin_merge(std::span(&*at, 1));
    }

    // Replaces the merged parts with the result of the merge.
    void end_merge() {
        std::optional<std::vector<Part>> merged = merge_.take();
        pause_after_failure_ = pause_min;
        if (!merged) return;
        if (renewal_) return go_on_renewing(std::move(*merged));
        allow_larger_merges();
        remove_vacant(*merged);
        const auto is_source = [this](const Part& part) { return merge_.replaces(*part.segment); };
        const auto at = std::find_if(parts_.begin(), parts_.end(), is_source) - parts_.begin();
        parts_.reserve(parts_.size() + merged->size());  // so that nothing is lost for lack of memory
        std::erase_if(parts_, is_source);
        parts_.insert(parts_.begin() + at, std::make_move_iterator(merged->begin()),
                      std::make_move_iterator(merged->end()));
        retire_sources();
    }

    // If removals could not be noted during a merge, the slots tell which subscriptions of its result are gone.
    void remove_vacant(std::vector<Part>& merged) const {
        if (!merge_.has_lost_removals()) return;
        for (Part& part : merged) {
            for (std::uint32_t i = 0; i < part.segment->size(); ++i) {
                const engine::SubscriptionId id = part.segment->entry(i);
                if (slots_.place(id) == SlotTable::vacant) part.remove(id);
            }
        }
    }

    // Rebuilds everything with only the names still in use, on the other thread. Meanwhile, programs and new parts
    // continue with the old names.
    void begin_renewal() {
        if (!get_room(parts_, true)) return;
        renewal_ = std::make_shared<Names>(names_.attributes.epoch() + 1);
        renewing_size_ = slots_.size();
        renew({}, sources_of(parts_));
    }

    void renew(std::vector<Part> done, const std::vector<MergeSource>& list) {
        merge_.begin(list, [parts = std::move(done), runs = divide(list, limits_.segment), renewal = renewal_,
                            old = names_.snapshot(), a = accelerator_, devices = devices_]() mutable {
            for (const std::vector<MergeSource>& run : runs)
                parts.emplace_back(mirrored(merge_renamed(run, devices, old, *renewal), a.get()));
            return std::move(parts);
        });
    }

    // Parts added meanwhile are renamed on the other thread, too, until little is left. The rest is renamed here, and
    // the new names replace the old ones.
    void go_on_renewing(std::vector<Part> done) {
        std::vector<MergeSource> list = sources_of(parts_);
        std::erase_if(list, [this](const MergeSource& source) { return merge_.replaces(*source.segment); });
        engine::SegmentLoad left;
        for (const MergeSource& source : list) left += source.segment->load();
        if (left.entries > inline_merge_max || left.record_words > inline_words_max)
            return renew(std::move(done), list);
        for (const std::vector<MergeSource>& run : divide(list, limits_.segment))
            done.emplace_back(merge_renamed(run, devices_, names_.snapshot(), *renewal_));
        auto sample = std::make_shared<EventSample>();
        remove_vacant(done);
        parts_ = std::move(done);
        names_ = std::move(*renewal_);
        renewal_.reset();
        review_.restart(std::move(sample));
        // Subscriptions removed meanwhile have left their names.
        renewed_size_ = std::max(renewing_size_, slots_.size());
        names_max_ = std::max(names_min, 2 * (names_.attributes.weight() + names_.scanned.weight()));
        retire_sources();  // last, since it may fail
    }

    const engine::SetLimits limits_;
    SlotTable slots_;
    Names names_;
    std::size_t names_max_ = names_min;
    std::size_t renewing_size_ = 0;            // the number of subscriptions when the latest renewal began
    std::size_t renewed_size_ = 0;             // at most the number whose names are kept since the last one ended
    std::unique_ptr<SegmentBuilder> pending_;  // null: nothing was added since the last compile()
    std::vector<Part> parts_;                  // large ones first
    std::shared_ptr<Names> renewal_;  // the new names during a renewal; the other thread's while merge_ is running

    std::shared_ptr<Accelerator> accelerator_;             // or null
    std::shared_ptr<operators::OperatorDevices> devices_;  // or null

    std::uint64_t merging_ = 0;                          // subscriptions in the latest background merge
    std::uint64_t merge_max_ = limits_.segment.entries;  // in the next one
    std::vector<MergeSource> retired_;                   // kept until nobody else uses them
    std::shared_ptr<std::atomic<std::size_t>> freeing_ = std::make_shared<std::atomic<std::size_t>>(0);  // bytes
    std::size_t merge_bytes_ = 0;                      // of the result of the background work under way
    std::function<bool(std::size_t bytes)> has_room_;  // or null

    std::atomic<std::uint64_t> failures_ = 0;
    std::uint32_t pause_ = 0, pause_after_failure_ = pause_min;

    AccessReview review_;
    // Last members, so that their threads end first.
    BackgroundMerge merge_;
    Worker helper_;
};

}  // namespace

std::unique_ptr<engine::SubscriptionSet> make_cpu_set(std::shared_ptr<Accelerator> accelerator,
                                                      const engine::SetLimits& limits) {
    return std::make_unique<CpuSet>(std::move(accelerator), limits);
}

}  // namespace sluice::cpu
