// What the measured predicates of a batch took, by kind of measure, and `contains`. Added up by the thread that
// matches.
#pragma once

#include <array>
#include <cstdint>

#include "gpu/operators/exact/exact.hpp"
#include "gpu/predicate.hpp"

namespace sluice {

struct OperatorWork {
    struct Kind {
        std::uint64_t texts = 0;        // that something was asked of
        std::uint64_t pairs = 0;        // (predicate, text) that had to be decided
        std::uint64_t cells = 0;        // of their matrices, whether all were computed or fewer decided the pair
        std::uint64_t filter_hits = 0;  // what a filter found that might be a hit
        std::uint64_t verified = 0;     // of these, what was looked at by the operator itself
        std::uint64_t holds = 0;        // pairs that hold
        std::uint64_t unreadable = 0;   // pairs whose text has no such measure: a series that is none

        struct Share {
            std::uint64_t texts = 0, pairs = 0, cells = 0;
        };
        Share on_device;  // of the above, what a device did

        Kind& operator+=(const Kind& more) {
            texts += more.texts, pairs += more.pairs, cells += more.cells;
            filter_hits += more.filter_hits, verified += more.verified;
            holds += more.holds, unreadable += more.unreadable;
            on_device.texts += more.on_device.texts, on_device.pairs += more.on_device.pairs;
            on_device.cells += more.on_device.cells;
            return *this;
        }
    };

    std::array<Kind, measure_kinds> kinds{};
    // Searches on the CPU, by segments: a text is searched once for all operands of a segment.
    exact::Counters contains;

    Kind& of(Measure::Kind kind) { return kinds[static_cast<std::size_t>(kind)]; }
    const Kind& of(Measure::Kind kind) const { return kinds[static_cast<std::size_t>(kind)]; }

    OperatorWork& operator+=(const OperatorWork& more) {
        for (std::size_t k = 0; k < measure_kinds; ++k) kinds[k] += more.kinds[k];
        contains += more.contains;
        return *this;
    }
};

// Counts the pairs of a call, which ascend by text, and the texts that they have.
class PairCounter {
public:
    explicit PairCounter(OperatorWork& work) : work_(work) { latest_.fill(~std::uint64_t{0}); }

    OperatorWork::Kind& add(Measure::Kind kind, std::uint32_t text, bool on_device = false) {
        OperatorWork::Kind& w = work_.of(kind);
        const std::size_t k = static_cast<std::size_t>(kind);
        w.texts += latest_[k] != text;
        latest_[k] = text;
        ++w.pairs;
        if (!on_device) return w;
        w.on_device.texts += latest_[k + measure_kinds] != text;
        latest_[k + measure_kinds] = text;
        ++w.on_device.pairs;
        return w;
    }

private:
    OperatorWork& work_;
    std::array<std::uint64_t, 2 * measure_kinds> latest_;  // texts; the second half: of those on the device
};

}  // namespace sluice
