// The work of a batch's measured predicates, by kind of measure, and of `contains`, and the time that it took. Added up
// by the matching thread.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>

#include "gpu/api/predicate.hpp"
#include "gpu/operators/family_kind.hpp"
#include "gpu/operators/substrings/counters.hpp"

namespace sluice::operators {

struct OperatorWork {
    struct Kind {
        std::uint64_t texts = 0;        // evaluated
        std::uint64_t pairs = 0;        // (predicate, text) pairs to decide
        std::uint64_t cells = 0;        // of their matrices, whether all were computed or fewer decided the pair
        std::uint64_t filter_hits = 0;  // candidates reported by a filter
        std::uint64_t verified = 0;     // of these, candidates checked by the operator itself
        std::uint64_t holds = 0;        // pairs that hold
        std::uint64_t unreadable = 0;   // pairs whose text has no such measure (it is not a series)

        struct Share {
            std::uint64_t texts = 0, pairs = 0, cells = 0;
        };
        Share on_device;  // of the above, the share of a device

        Kind& operator+=(const Kind& more) {
            texts += more.texts, pairs += more.pairs, cells += more.cells;
            filter_hits += more.filter_hits, verified += more.verified;
            holds += more.holds, unreadable += more.unreadable;
            on_device.texts += more.on_device.texts, on_device.pairs += more.on_device.pairs;
            on_device.cells += more.on_device.cells;
            return *this;
        }
    };

    // The elapsed time of a family's evaluations.
    struct Time {
        std::uint64_t cpu_ns = 0;
        std::uint64_t device_ns = 0;  // on a device, including waits for one and attempts that failed

        Time& operator+=(const Time& more) {
            cpu_ns += more.cpu_ns, device_ns += more.device_ns;
            return *this;
        }
    };

    std::array<Kind, engine::measure_kinds> kinds{};
    std::array<Time, operator_families> times{};
    // CPU searches, by segment: a text is searched once for all operands of a segment.
    substrings::Counters contains;

    Kind& of(engine::Measure::Kind kind) { return kinds[static_cast<std::size_t>(kind)]; }
    const Kind& of(engine::Measure::Kind kind) const { return kinds[static_cast<std::size_t>(kind)]; }

    Time& time_of(OperatorFamilyKind family) { return times[static_cast<std::size_t>(family)]; }
    const Time& time_of(OperatorFamilyKind family) const { return times[static_cast<std::size_t>(family)]; }

    OperatorWork& operator+=(const OperatorWork& more) {
        for (std::size_t k = 0; k < engine::measure_kinds; ++k) kinds[k] += more.kinds[k];
        for (std::size_t f = 0; f < operator_families; ++f) times[f] += more.times[f];
        contains += more.contains;
        return *this;
    }
};

// Nanoseconds from `start` until now.
inline std::uint64_t ns_since(std::chrono::steady_clock::time_point start) {
    const std::chrono::nanoseconds elapsed = std::chrono::steady_clock::now() - start;
    return static_cast<std::uint64_t>(elapsed.count());
}

// Counts the pairs of a call, which ascend by text, and their distinct texts.
class PairCounter {
public:
    explicit PairCounter(OperatorWork& work) : work_(work) { latest_.fill(~std::uint64_t{0}); }

    OperatorWork::Kind& add(engine::Measure::Kind kind, std::uint32_t text, bool on_device = false) {
        OperatorWork::Kind& w = work_.of(kind);
        const std::size_t k = static_cast<std::size_t>(kind);
        w.texts += latest_[k] != text;
        latest_[k] = text;
        ++w.pairs;
        if (!on_device) return w;
        w.on_device.texts += latest_[k + engine::measure_kinds] != text;
        latest_[k + engine::measure_kinds] = text;
        ++w.on_device.pairs;
        return w;
    }

private:
    OperatorWork& work_;
    std::array<std::uint64_t, 2 * engine::measure_kinds> latest_;  // the last texts; second half: on the device
};

}  // namespace sluice::operators
