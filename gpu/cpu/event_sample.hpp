// A few of the latest events, by which access literals are chosen: a new one takes the place of any of those there are,
// so that what is counted over them decays by itself. Any thread may record and read; who records never waits.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "gpu/event_batch.hpp"

namespace sluice {

// An event with its texts. What is long is cut, since the sample must stay small: an operand that stands behind
// the cut counts as rarer than it is, and costs time, never an answer.
class SampledEvent {
public:
    SampledEvent() = default;
    SampledEvent(std::span<const Value> values, std::uint32_t attributes);

    std::uint32_t attributes() const { return attributes_; }  // that the program knew: others may have been there
    void values(std::vector<Value>& values) const;            // views point into this event

private:
    struct Item {
        std::uint32_t attribute, text_bytes;
        double number;
    };

    std::uint32_t attributes_ = 0;
    std::vector<Item> items_;
    std::string text_;
};

class EventSample {
public:
    static constexpr std::size_t events_max = 512;
    static constexpr std::uint32_t step = 61;  // one event of so many is recorded

    // Records some events of a batch, or none while another thread is at it.
    void observe(const EventBatch& batch, std::uint32_t attributes);
    std::vector<SampledEvent> events() const;
    std::uint64_t recorded() const { return recorded_.load(std::memory_order_relaxed); }  // ever

private:
    mutable std::mutex mutex_;
    std::vector<SampledEvent> events_;
    std::uint64_t random_ = 1;
    std::atomic<std::uint64_t> recorded_ = 0;
};

}  // namespace sluice
