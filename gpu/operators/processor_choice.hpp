// Whether work is done on the CPU or on a device (a batch is matched, a batch's pairs of a family are evaluated): by
// what as much work has cost on each lately. At first by what it is expected to cost, at best; the other processor is
// tried now and then, as often as that takes no more than a small share of the time. Any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>

namespace sluice {

class ProcessorChoice {
public:
    enum Processor : std::uint8_t { cpu, device };

    // What so many cells cost at best, before any have been measured, in microseconds: fixed + cells / per_microsecond.
    struct Cost {
        double fixed = 0, per_microsecond = 1;
    };
    struct Settings {
        std::array<Cost, 2> expected;  // by processor
        double cells_min = 0;          // less is the CPU's, always
        bool measured = true;          // false: what is not less is the device's, always
        const char* unit = "cells";    // what is counted; of a batch that is matched it's the events
    };

    // What is only tried, to learn what it costs, need not be tried with all of a batch.
    struct Choice {
        Processor processor;
        bool is_trial = false;

        operator Processor() const { return processor; }
    };

    explicit ProcessorChoice(const Settings& settings) : settings_(settings) {}

    Choice choose(double cells);
    void record(double cells, Processor processor, double microseconds);
    // What is known and, where nothing is, expected.
    double predict(double cells, Processor processor) const;
    // "2^25 cells: 310 us on a device, 2000 us on the CPU; …", of the sizes that there were.
    std::string reason() const;

private:
    static constexpr std::size_t sizes = 64;     // by the number of bits of the number of cells
    static constexpr double weight = 1.0 / 8;    // of the latest batch in the average
    static constexpr double explore_every = 64;  // as much time goes by on one before the other is tried
    static constexpr std::size_t far = 4;        // sizes: what is known of one says nothing of one so far from it
    static constexpr double mistaken_max = 16;   // expectations are right within that factor
    // The first batches may have had to make room: the first is not believed if it was slower than expected, and the
    // average begins with the last of these.
    static constexpr std::uint64_t known_after = 3;

    // Measured costs, as multiples of what was expected.
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

}  // namespace sluice
