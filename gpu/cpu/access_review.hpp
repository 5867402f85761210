// Periodically checks, on another thread, whether a segment should have access literals other than those it was built
// with. The check uses a sample of the latest events, which matching records. Belongs to the set's thread.
#pragma once

#include <cstdint>
#include <future>
#include <memory>
#include <span>

#include "gpu/cpu/part.hpp"
#include "gpu/cpu/segment/event_sample.hpp"
#include "gpu/cpu/worker.hpp"

namespace sluice::cpu {

class AccessReview {
public:
    const std::shared_ptr<EventSample>& sample() const { return sample_; }

    // Whether enough events have been recorded since the last review, and its result has been taken.
    bool is_due() const { return !reviewing_.valid() && sample_->recorded() >= review_at_; }
    void begin(std::span<Part> parts, Worker& worker);
    // Returns the segment that a finished review has found, once; otherwise null.
    std::shared_ptr<const Segment> take();
    void restart(std::shared_ptr<EventSample> sample);  // `sample` must be empty

private:
    std::shared_ptr<EventSample> sample_ = std::make_shared<EventSample>();
    std::future<std::shared_ptr<const Segment>> reviewing_;  // valid until the result is taken
    std::uint64_t review_at_ = EventSample::events_max;      // in recorded events
};

}  // namespace sluice::cpu
