// A sample of recent events, by which access literals are chosen. A new event replaces a random one, so that counts
// over the sample decay over time. Any thread may record and read; recording never waits.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "gpu/api/event_batch.hpp"

namespace sluice::cpu {

// An event with its texts. Long ones are truncated, since the sample must stay small. An operand that occurs only
// behind the cut seems rarer than it is: that costs time, but never changes an answer.
class SampledEvent {
public:
    SampledEvent() = default;
    SampledEvent(std::span<const engine::Value> values, std::uint32_t attributes);
    // Event e of the batch; the values that it shares with others come last.
    SampledEvent(const engine::EventBatch& batch, std::size_t e, std::uint32_t attributes);

    std::uint32_t attributes() const { return attributes_; }  // known to the program; the event may have others
    void values(std::vector<engine::Value>& values) const;    // views point into this event

private:
    void add(std::span<const engine::Value> values);

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
    static constexpr std::uint32_t step = 61;  // one event in so many is recorded

    // Records some events of a batch; none if another thread is recording.
    void observe(const engine::EventBatch& batch, std::uint32_t attributes) noexcept;
    std::vector<SampledEvent> events() const;
    std::uint64_t recorded() const { return recorded_.load(std::memory_order_relaxed); }  // in total

private:
    void record(const engine::EventBatch& batch, std::size_t e, std::uint32_t attributes) noexcept;

    mutable std::mutex mutex_;
    std::vector<SampledEvent> events_;
    std::uint64_t random_ = 1;
    std::atomic<std::uint64_t> recorded_ = 0;
};

}  // namespace sluice::cpu
