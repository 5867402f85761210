#include "gpu/cpu/access_review.hpp"

#include <utility>
#include <vector>

namespace sluice::cpu {

namespace {

constexpr double misled_rows_min = 64;  // excess rows per event that do not justify choosing anew

// A segment whose access literals lead to far more rows than when they were chosen, or lead to many and were chosen
// before any event was observed. Null if there is none.
std::shared_ptr<const Segment> find_misled(const std::vector<MergeSource>& sources, const EventSample& sample) {
    const std::vector<SampledEvent> events = sample.events();
    for (const MergeSource& source : sources) {
        if (source.segment->rows_found(events) > 2 * source.segment->rows_expected() + misled_rows_min)
            return source.segment;
    }
    return nullptr;
}

}  // namespace

void AccessReview::begin(std::span<Part> parts, Worker& worker) {
    review_at_ = sample_->recorded() + EventSample::events_max;
    reviewing_ = worker.run([list = sources_of(parts), sample = sample_] { return find_misled(list, *sample); });
}

std::shared_ptr<const Segment> AccessReview::take() {
    return reviewing_.valid() && is_ready(reviewing_) ? reviewing_.get() : nullptr;
}

void AccessReview::restart(std::shared_ptr<EventSample> sample) {
    sample_ = std::move(sample);
    review_at_ = EventSample::events_max;
}

}  // namespace sluice::cpu
