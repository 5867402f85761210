#include "broker/core/ingest/eviction_order.hpp"

#include <iterator>
#include <utility>

namespace sluice::broker {

void EvictionOrder::add(Place& place, const std::string& name, Clock::time_point now, std::size_t keepers,
                        std::size_t publications) {
    const std::lock_guard lock(mutex_);
    place.publications_ = publications;
    place.published_at_ = now;
    place.inside_ = uses_.insert({publications > 1, now, &name, &place}).first;
    place.is_in_use_ = true;
    place.keepers_ = keepers;
    if (keepers != 0) place.outside_ = uses_.extract(place.inside_);
}

void EvictionOrder::remove(Place& place) noexcept {
    const std::lock_guard lock(mutex_);
    if (!std::exchange(place.is_in_use_, false)) return;
    if (place.outside_)
        place.outside_ = {};
    else
        uses_.erase(place.inside_);
}

void EvictionOrder::keep(Place& place) noexcept {
    const std::lock_guard lock(mutex_);
    if (place.is_in_use_ && place.keepers_++ == 0) place.outside_ = uses_.extract(place.inside_);
}

void EvictionOrder::release(Place& place) noexcept {
    const std::lock_guard lock(mutex_);
    if (place.is_in_use_ && --place.keepers_ == 0) place.inside_ = uses_.insert(std::move(place.outside_)).position;
}

// With what has been published since.
EvictionOrder::Use EvictionOrder::use_of(const Use& before) noexcept {
    Use use = before;
    use.is_repeated = use.place->publications_.load(std::memory_order_relaxed) > 1;
    use.published_at = use.place->published_at_.load(std::memory_order_relaxed);
    return use;
}

// The first stream from `at` on, and before `end`, that is where it belongs; uses_.end(): none is, or no move is left.
// Those that come before it are moved: publications only move a stream back.
EvictionOrder::Uses::iterator EvictionOrder::settle(Uses::iterator at, const Use& end, Moves& moves) noexcept {
    while (at != uses_.end() && *at < end) {
        const Use now = use_of(*at);
        if (!(*at < now) && !(now < *at)) return at;
        if (moves.left == 0) break;
        --moves.left;
        const auto next = std::next(at);
        auto node = uses_.extract(at);
        node.value() = now;
        const auto moved = now.place->inside_ = uses_.insert(std::move(node)).position;
        if (moves.first == nullptr || now < *moves.first) moves.first = &*moved;
        at = std::next(moved) == next ? moved : next;
    }
    return uses_.end();
}

std::vector<const std::string*> EvictionOrder::first(std::size_t n) {
    std::vector<const std::string*> names;
    const Use end{true, Clock::time_point::max()};
    const std::lock_guard lock(mutex_);
    Moves moves;
    for (auto at = settle(uses_.begin(), end, moves); at != uses_.end() && names.size() < n;
         at = settle(std::next(at), end, moves))
        names.push_back(at->name);
    if (names.empty() && n != 0 && moves.first != nullptr) names.push_back(moves.first->name);
    return names;
}

std::vector<const std::string*> EvictionOrder::idle_since(Clock::time_point then, std::size_t n) {
    std::vector<const std::string*> names;
    const std::lock_guard lock(mutex_);
    Moves moves;
    for (const bool is_repeated : {false, true}) {
        const Use end{is_repeated, then};
        auto at = settle(uses_.lower_bound({is_repeated, Clock::time_point::min()}), end, moves);
        for (std::size_t i = 0; i < n && at != uses_.end(); ++i, at = settle(std::next(at), end, moves))
            names.push_back(at->name);
    }
    return names;
}

}  // namespace sluice::broker
