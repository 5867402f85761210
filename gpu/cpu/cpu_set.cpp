#include "gpu/cpu/cpu_set.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <future>
#include <utility>

#include "gpu/cpu/accelerator.hpp"
#include "gpu/cpu/part.hpp"
#include "gpu/cpu/segment_builder.hpp"
#include "gpu/cpu/worker.hpp"

namespace sluice {

namespace {

constexpr std::size_t inline_merge_max = 1024;  // subscriptions; larger merges leave the caller's thread

constexpr std::size_t catch_up_max = 1024;  // removals that a finished merge may make up for on the caller's thread
constexpr double misled_rows_min = 64;      // rows an event that are not worth choosing anew
constexpr std::size_t names_min = 4096;     // so many names are kept without asking who uses them
constexpr std::uint32_t pause_min = 8, pause_max = 64;  // calls of compile() before what failed is tried again

// A segment whose access literals lead to far more rows than when they were chosen, or to many and were chosen before
// any event was observed; or null.
std::shared_ptr<const Segment> find_misled(const std::vector<MergeSource>& sources, const EventSample& sample) {
    const std::vector<SampledEvent> events = sample.events();
    for (const MergeSource& source : sources) {
        if (source.segment->rows_found(events) > 2 * source.segment->rows_expected() + misled_rows_min)
            return source.segment;
    }
    return nullptr;
}

template <class T>
bool is_ready(const std::future<T>& future) {
    return future.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

// Where the segment was made it is copied, too, so that it is matched there from the first batch on.
std::shared_ptr<const Segment> mirrored(std::shared_ptr<const Segment> segment, Accelerator* accelerator) {
    if (accelerator != nullptr) accelerator->mirror(*segment);
    return segment;
}

class CpuSet final : public SubscriptionSet {
public:
    explicit CpuSet(std::shared_ptr<Accelerator> accelerator)
        : accelerator_(std::move(accelerator)), devices_(accelerator_ ? accelerator_->operator_devices() : nullptr) {}

    SubscriptionId add(const Disjunction& filter) override {
        const bool reuse = !free_.empty();
        const auto slot = reuse ? free_.back() : static_cast<std::uint32_t>(slots_.size());
        if (!reuse) slots_.emplace_back();
        const SubscriptionId id{slot, slots_[slot].generation};
        slots_[slot].place = pending_->add(id, filter, names_.attributes, names_.scanned);
        if (reuse) free_.pop_back();
        ++size_;
        return id;
    }

    bool remove(SubscriptionId id) override {
        if (id.slot >= slots_.size()) return false;
        Slot& slot = slots_[id.slot];
        if (slot.generation != id.generation || slot.place == vacant) return false;
        if (slot.place == in_segment) {
            for (Part& part : parts_) {
                if (part.remove(id)) break;
            }
            if (merging_.valid()) removed_while_merging_.push_back(id);
        } else {
            pending_->drop(slot.place);
        }
        slot = {id.generation + 1, vacant};
        free_.push_back(id.slot);
        --size_;
        return true;
    }

    std::size_t size() const override { return size_; }

    std::shared_ptr<const Program> compile() override {
        if (pending_->size() > 0)
            add_part(std::exchange(pending_, std::make_unique<SegmentBuilder>()));
        else
            pending_ = std::make_unique<SegmentBuilder>();
        attempt([&] { release_retired(); });
        if (merging_.valid() && is_ready(merging_)) attempt([&] { end_merge(); });
        std::erase_if(parts_, [&](const Part& part) { return part.live() == 0 && !is_merging(part); });
        attempt([&] { merge_small(); });
        if (pause_ > 0)
            --pause_;
        else if (!merging_.valid())
            attempt([&] { begin_background_work(); });
        std::vector<CpuProgram::Part> parts;
        for (Part& part : parts_) parts.push_back(part.publish());
        if (accelerator_) accelerator_->keep(parts);
        return std::make_shared<CpuProgram>(std::move(parts), names_.attributes.snapshot(), names_.scanned.snapshot(),
                                            sample_, accelerator_);
    }

    EngineStatus status() const override {
        EngineStatus status;
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
    // Where the subscription of a slot is: a number in `pending_`, or one of these.
    static constexpr std::uint32_t vacant = none, in_segment = none - 1;
    struct Slot {
        std::uint32_t generation = 0;
        std::uint32_t place = vacant;
    };

    // Merging and choosing anew only make matching cheaper. What fails of it (for lack of memory, say) leaves
    // everything as it was, and is tried again after some more calls of compile().
    template <class Work>
    void attempt(Work work) {
        try {
            work();
        } catch (const std::exception&) {
            ++failures_;
            pause_ = std::exchange(pause_after_failure_, std::min(2 * pause_after_failure_, pause_max));
            if (merging_.valid()) return;  // that goes on
            merging_sources_.clear();
            removed_while_merging_.clear();
            renewal_.reset();
        }
    }

    // Freeing a large segment takes milliseconds: not on the caller's thread, nor on one that matches.
    void release_retired() {
        const auto unused = std::partition(retired_.begin(), retired_.end(),
                                           [](const MergeSource& source) { return source.segment.use_count() > 1; });
        if (unused == retired_.end()) return;
        std::vector<MergeSource> list(std::make_move_iterator(unused), std::make_move_iterator(retired_.end()));
        retired_.erase(unused, retired_.end());
        helper_.post([list = std::move(list)] {});
    }

    void retire_sources() {
        retired_.insert(retired_.end(), merging_sources_.begin(), merging_sources_.end());
        merging_sources_.clear();
    }

    void begin_background_work() {
        if (names_.attributes.size() + names_.scanned.size() > names_max_) return begin_renewal();
        begin_merge();
        if (!merging_.valid()) choose_anew();
    }

    void add_part(std::unique_ptr<SegmentBuilder> builder) {
        parts_.emplace_back(std::move(*builder).build({}, devices_));
        const Segment& segment = *parts_.back().segment;
        if (accelerator_) accelerator_->mirror(segment);
        for (std::uint32_t i = 0; i < segment.size(); ++i) slots_[segment.entry(i).slot].place = in_segment;
    }

    bool is_merging(const Part& part) const { return is_merging(part.segment); }
    bool is_merging(const std::shared_ptr<const Segment>& segment) const {
        return std::any_of(merging_sources_.begin(), merging_sources_.end(),
                           [&](const MergeSource& source) { return source.segment == segment; });
    }

    // From which part on (those before are large enough for what follows them) to merge, and how much that is.
    struct Tail {
        std::size_t first, live;
    };
    Tail tail(std::size_t live_max) const {
        Tail found{parts_.size(), 0};
        std::size_t live = 0;
        for (std::size_t i = parts_.size(); i-- > 0;) {
            if (is_merging(parts_[i]) || live + parts_[i].live() > live_max) break;
            if (2 * parts_[i].live() <= live || parts_[i].is_hollow()) found = {i, live + parts_[i].live()};
            live += parts_[i].live();
        }
        return found;
    }

    std::vector<MergeSource> sources(std::size_t first) {
        std::vector<MergeSource> list;
        for (std::size_t i = first; i < parts_.size(); ++i) {
            const CpuProgram::Part part = parts_[i].publish();
            list.push_back({part.segment, part.removed});
        }
        return list;
    }

    void merge_small() {
        const Tail t = tail(inline_merge_max);
        if (t.first == parts_.size()) return;
        auto merged = mirrored(merge(sources(t.first), devices_), accelerator_.get());
        parts_.erase(parts_.begin() + static_cast<std::ptrdiff_t>(t.first), parts_.end());
        parts_.emplace_back(std::move(merged));
    }

    void begin_merge() {
        const Tail t = tail(Segment::entries_max);
        if (t.first == parts_.size()) return;
        begin_merge(sources(t.first));
    }

    void begin_merge(std::vector<MergeSource> list) {
        merging_sources_ = std::move(list);
        merging_ = merger_.run([list = merging_sources_, sample = sample_, a = accelerator_, devices = devices_] {
            std::vector<Part> merged;
            merged.emplace_back(mirrored(merge(list, devices, sample->events()), a.get()));
            return merged;
        });
    }

    // When the sample of events is a new one, looks whether a segment should have other access literals, and builds it
    // anew: both on the other thread.
    void choose_anew() {
        if (!reviewing_.valid()) {
            if (sample_->recorded() < review_at_) return;
            review_at_ = sample_->recorded() + EventSample::events_max;
            reviewing_ = helper_.run([list = sources(0), sample = sample_] { return find_misled(list, *sample); });
        } else if (is_ready(reviewing_)) {
            const std::shared_ptr<const Segment> misled = reviewing_.get();
            for (Part& part : parts_) {
                if (part.segment != misled) continue;
                const CpuProgram::Part p = part.publish();
                begin_merge({{p.segment, p.removed}});
            }
        }
    }

    static std::vector<Part> catch_up(std::vector<Part> merged, const std::vector<SubscriptionId>& removed) {
        for (const SubscriptionId id : removed)
            std::any_of(merged.begin(), merged.end(), [id](Part& part) { return part.remove(id); });
        return merged;
    }

    // Puts the result of the merge in place of what it was made of; or, if much has been removed meanwhile, lets the
    // other thread go on with that.
    void end_merge() {
        std::vector<Part> merged = merging_.get();
        pause_after_failure_ = pause_min;
        if (removed_while_merging_.size() > catch_up_max) {
            merging_ =
                merger_.run([parts = std::move(merged), removed = std::exchange(removed_while_merging_, {})]() mutable {
                    return catch_up(std::move(parts), removed);
                });
            return;
        }
        merged = catch_up(std::move(merged), std::exchange(removed_while_merging_, {}));
        if (renewal_) return go_on_renewing(std::move(merged));
        const auto first = std::find_if(parts_.begin(), parts_.end(), [&](const Part& p) { return is_merging(p); });
        const auto at = first - parts_.begin();
        std::erase_if(parts_, [&](const Part& part) { return is_merging(part); });
        parts_.insert(parts_.begin() + at, std::make_move_iterator(merged.begin()),
                      std::make_move_iterator(merged.end()));
        retire_sources();
    }

    // Builds everything anew with the names that are still in use, on the other thread. The programs go on with the old
    // names meanwhile, and so do the parts that are added.
    void begin_renewal() {
        renewal_ = std::make_shared<Names>(names_.attributes.epoch() + 1);
        renew({}, sources(0));
    }

    void renew(std::vector<Part> done, std::vector<MergeSource> list) {
        merging_sources_.insert(merging_sources_.end(), list.begin(), list.end());
        merging_ = merger_.run([parts = std::move(done), list = std::move(list), renewal = renewal_,
                                old = names_.snapshot(), a = accelerator_, devices = devices_]() mutable {
            parts.emplace_back(mirrored(merge_renamed(list, devices, old, *renewal), a.get()));
            return std::move(parts);
        });
    }

    // What has been added meanwhile is renamed on the other thread, too, until only a little is left of it: with that
    // renamed here, the new names take the place of the old ones.
    void go_on_renewing(std::vector<Part> done) {
        std::vector<MergeSource> list = sources(0);
        std::erase_if(list, [&](const MergeSource& source) { return is_merging(source.segment); });
        std::size_t entries = 0;
        for (const MergeSource& source : list) entries += source.segment->size();
        if (entries > inline_merge_max) return renew(std::move(done), std::move(list));
        if (!list.empty()) done.emplace_back(merge_renamed(list, devices_, names_.snapshot(), *renewal_));
        auto sample = std::make_shared<EventSample>();
        parts_ = std::move(done);
        names_ = std::move(*renewal_);
        renewal_.reset();
        retire_sources();
        sample_ = std::move(sample);
        review_at_ = EventSample::events_max;
        names_max_ = std::max(names_min, 2 * (names_.attributes.size() + names_.scanned.size()));
    }

    std::deque<Slot> slots_;  // which grows without moving what it holds
    std::deque<std::uint32_t> free_;
    std::size_t size_ = 0;
    Names names_;
    std::size_t names_max_ = names_min;
    std::unique_ptr<SegmentBuilder> pending_ = std::make_unique<SegmentBuilder>();
    std::vector<Part> parts_;  // the large ones first

    std::future<std::vector<Part>> merging_;  // valid while a merge is under way, or a renewal of the names
    std::vector<MergeSource> merging_sources_;
    std::vector<SubscriptionId> removed_while_merging_;
    std::shared_ptr<Names> renewal_;  // the new names while they are made; the other thread's while merging_ is valid

    std::shared_ptr<Accelerator> accelerator_;  // or null
    std::shared_ptr<OperatorDevices> devices_;  // or null

    std::vector<MergeSource> retired_;  // kept until nobody else has them

    std::atomic<std::uint64_t> failures_ = 0;
    std::uint32_t pause_ = 0, pause_after_failure_ = pause_min;

    std::shared_ptr<EventSample> sample_ = std::make_shared<EventSample>();
    std::future<std::shared_ptr<const Segment>> reviewing_;  // valid while the segments are being looked at
    std::uint64_t review_at_ = EventSample::events_max;      // recorded events

    Worker merger_, helper_;  // the last members, so that they end first
};

}  // namespace

std::unique_ptr<SubscriptionSet> make_cpu_set(std::shared_ptr<Accelerator> accelerator) {
    return std::make_unique<CpuSet>(std::move(accelerator));
}

}  // namespace sluice
