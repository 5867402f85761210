#include "broker/store/rocks/skip_damage.hpp"

#include <algorithm>

#include "broker/store/rocks/layout.hpp"

namespace sluice::store {

std::uint64_t place_of(std::string_view key) {
    std::uint64_t place = 0;
    for (std::size_t i = 0; i < sizeof place; ++i)
        place = place << 8 | (i < key.size() ? static_cast<unsigned char>(key[i]) : 0u);
    return place;
}

std::uint64_t skip_damage(Cursor& cursor, std::uint64_t from, std::uint64_t end) {
    const auto is_readable = [&cursor](std::uint64_t place) {
        cursor.seek(event_key(place));
        return !cursor.fault();
    };
    std::uint64_t bad = from, good = end;
    for (std::uint64_t step = 1; step < end - bad; step *= 2) {
        if (is_readable(bad + step)) {
            good = bad + step;
            break;
        }
        bad += step;
    }
    while (good - bad > 1) {
        const std::uint64_t middle = bad + (good - bad) / 2;
        (is_readable(middle) ? good : bad) = middle;
    }
    cursor.seek(event_key(good));
    return cursor.is_at_end() ? end : std::min(end, place_of(cursor.key()));
}

}  // namespace sluice::store
