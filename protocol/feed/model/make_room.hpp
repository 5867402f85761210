// How vectors grow whose items a document may have millions of.
#pragma once

#include <algorithm>
#include <cstddef>

namespace sluice::feed {

inline constexpr std::size_t doubled_items_max = 4'096, many_items = 65'536;

// Call before push_back: small vectors double, larger ones grow by a quarter, and large ones by an eighth.
template <class Vector>
void make_room(Vector& items) {
    const std::size_t size = items.size();
    if (size == items.capacity() && size >= doubled_items_max)
        items.reserve(size + size / (size >= many_items ? 8 : 4));
}

// The most items that a vector of so many has room for.
constexpr std::size_t room_max(std::size_t items) {
    return items + std::max({items / 8, std::min(items / 4, many_items / 4), std::min(items, 2 * doubled_items_max)});
}

}  // namespace sluice::feed
