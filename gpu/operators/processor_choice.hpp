// Chooses between the CPU and a device for a piece of work (matching a batch, or evaluating a batch's pairs of a
// family) by the recent cost of similar work on each. Before anything has been measured, the expected best-case cost
// decides. The other processor is tried from time to time, for a small share of the time. Any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>

namespace sluice::operators {

class ProcessorChoice {
public:
    enum Processor : std::uint8_t { cpu, device };

    // The best-case cost before any measurement, in microseconds: fixed + cells / per_microsecond.
    struct Cost {
        double fixed = 0, per_microsecond = 1;
    };
    struct Settings {
        std::array<Cost, 2> expected;  // by processor
        double cells_min = 0;          // smaller work always runs on the CPU
        bool measured = true;          // false: all other work always runs on the device
        const char* unit = "cells";    // what is counted; "events" for matching a batch
    };

    // A trial only measures the cost, so it need not use the whole batch.
    struct Choice {
        Processor processor;
        bool is_trial = false;

        operator Processor() const { return processor; }
    };

    explicit ProcessorChoice(const Settings& settings) : settings_(settings) {}

    Choice choose(double cells);
    void record(double cells, Processor processor, double microseconds);
    // The measured cost, or if none is known, the expected cost, in microseconds.
    double predict(double cells, Processor processor) const;
    // "2^25 cells: 310 us on a device, 2000 us on the CPU; …", for the sizes that have occurred.
    std::string reason() const;

private:
    static constexpr std::size_t sizes = 64;     // by the number of bits of the number of cells
    static constexpr double weight = 1.0 / 8;    // of the latest batch in the moving average
    static constexpr double explore_every = 64;  // time between trials, as a multiple of the slower processor's cost
    static constexpr std::size_t far = 4;  // in sizes: measurements of one size say nothing about sizes further away
    static constexpr double mistaken_max = 16;  // expected costs are right within this factor
    // The first batches may include one-time allocations. So a first batch slower than expected is ignored, and the
    // moving average begins with the last of these batches.
    static constexpr std::uint64_t known_after = 3;

    // Measured cost as a multiple of the expected cost.
    struct Known {
        double ratio = 1;
        std::uint64_t batches = 0;
    };

    static std::size_t size_of(double cells);
    double expected(double cells, Processor processor) const;
    double ratio(std::size_t size, Processor processor) const;

    const Settings settings_;

    mutable std::mutex mutex_;
    std::array<std::array<Known, sizes>, 2> known_;  // [processor][size]
    std::array<double, sizes> since_exploring_us_{};
};

}  // namespace sluice::operators
