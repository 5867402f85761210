// Decides which scanned conditions may be evaluated, so that costly ones leave a matching thread's time to others. A
// condition that exceeds its budget is suspended, for twice as long each time. When costly conditions together exceed
// their share of the time, the conditions of subscribers that use more than the average are skipped until they use
// less. Other subscribers are not affected. Belongs to one matching thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <span>
#include <string_view>
#include <unordered_map>

#include "protocol/feed/scanned_leaves.hpp"

namespace sluice::broker {

class ScanShares {
public:
    using Clock = std::chrono::steady_clock;

    static constexpr std::chrono::milliseconds costly{1};    // shorter decided evaluations are not charged
    static constexpr std::chrono::microseconds begun{20};    // shorter undecided ones found the budget used up
    static constexpr double share_max = 0.1;                 // of the time, for costly conditions
    static constexpr std::chrono::seconds half_life{2};      // of the recorded use
    static constexpr std::chrono::seconds suspended_min{1};  // after an evaluation that exceeded its budget
    static constexpr std::chrono::seconds suspended_max{64};

    struct Key {  // a condition on one stream; its cost on other streams is counted separately
        const void* condition = nullptr;
        std::string_view stream;
    };
    // Returns the owners of the condition. Called only when needed.
    using Owners = std::function<std::span<const feed::ScanOwner>()>;

    bool allows(const Key& key, const Owners& owners, Clock::time_point now) const;
    // Records an evaluation. `decided` is false if it exceeded its own budget or a shared one.
    void spend(const Key& key, const Owners& owners, Clock::duration took, bool decided, Clock::time_point now);

private:
    struct Suspension {
        Clock::duration length{0};
        Clock::time_point until;
    };
    struct Use {
        double seconds = 0;  // decaying
        Clock::time_point at;

        double decayed(Clock::time_point now) const;
        void add(double more, Clock::time_point now);
    };

    static std::size_t hash(const Key& key);
    void forget_small(Clock::time_point now);

    std::unordered_map<std::size_t, Suspension> suspensions_;  // by hash of the key; collisions share a suspension
    std::unordered_map<feed::ScanOwner, Use> uses_;
    Use total_;
};

}  // namespace sluice::broker
