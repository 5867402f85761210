// Orders the streams that may be evicted: first those with at most one publication, then all others; in either group
// those without publications for longest come first. A publication takes no lock: it only notes its time, and a stream
// moves to where it belongs when it would be evicted. Changes take logarithmic time, however many streams there are,
// and looking for those to evict moves a limited number. Any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace sluice::broker {

class EvictionOrder {
public:
    using Clock = std::chrono::steady_clock;
    class Place;

    static constexpr std::size_t moves_max = 1'024;  // by a call: its caller may hold a lock of all streams

private:
    struct Use {
        bool is_repeated = false;  // by a second publication
        Clock::time_point published_at{};
        const std::string* name = nullptr;
        Place* place = nullptr;

        bool operator<(const Use& other) const {
            return std::tie(is_repeated, published_at, name) <
                   std::tie(other.is_repeated, other.published_at, other.name);
        }
    };
    using Uses = std::set<Use>;

public:
    // A stream's place in the order. Kept in the stream, and guarded by the order, except for publications.
    class Place {
    public:
        // The stream got a document. `has_news`: with new or changed items.
        void published(Clock::time_point now, bool has_news) noexcept {
            if (has_news) publications_.fetch_add(1, std::memory_order_relaxed);
            published_at_.store(now, std::memory_order_relaxed);
        }

    private:
        friend class EvictionOrder;
        Uses::node_type outside_;  // while the stream must stay
        Uses::iterator inside_;    // otherwise; valid while `outside_` is empty and the place is in use
        bool is_in_use_ = false;
        std::size_t keepers_ = 0;
        std::atomic<std::size_t> publications_{0};
        std::atomic<Clock::time_point> published_at_{};
    };

    // Adds a stream that `keepers` reasons keep from being evicted. `publications`: how many it is known to have had.
    // The name must live as long as the stream.
    void add(Place& place, const std::string& name, Clock::time_point now, std::size_t keepers,
             std::size_t publications = 0);
    void remove(Place& place) noexcept;  // the other functions then do nothing

    // A reason more, or less, to keep the stream.
    void keep(Place& place) noexcept;
    void release(Place& place) noexcept;

    // The names of the first `n` streams. They are valid while these streams exist. With more to move than a call may:
    // those found so far, or else the first of the moved ones. The next call goes on.
    std::vector<const std::string*> first(std::size_t n);
    // Up to `n` streams of each group without documents since `then`; with more to move than a call may, fewer.
    std::vector<const std::string*> idle_since(Clock::time_point then, std::size_t n);

private:
    // Of one call.
    struct Moves {
        std::size_t left = moves_max;
        const Use* first = nullptr;  // of the streams that have moved; null: none has
    };

    static Use use_of(const Use& before) noexcept;
    Uses::iterator settle(Uses::iterator at, const Use& end, Moves& moves) noexcept;

    std::mutex mutex_;
    Uses uses_;
};

}  // namespace sluice::broker
