// How vectors grow whose items a document may have millions of. Pure functions.
#pragma once

#include <algorithm>
#include <cstddef>

namespace sluice::feed {

inline constexpr std::size_t doubled_items_max = 4096;

// Call before push_back: small vectors double, large ones grow by a quarter.
template <class Vector>
void make_room(Vector& items) {
    if (items.size() == items.capacity() && items.size() >= doubled_items_max)
        items.reserve(items.size() + items.size() / 4);
}

// The most items that a vector of so many has room for.
constexpr std::size_t room_max(std::size_t items) {
    return items + std::max(items / 4, std::min(items, 2 * doubled_items_max));
}

}  // namespace sluice::feed
