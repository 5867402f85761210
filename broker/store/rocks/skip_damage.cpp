#include "broker/store/rocks/skip_damage.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "broker/store/rocks/layout.hpp"

namespace sluice::store {

std::uint64_t number_of_key(std::string_view key) {
    std::uint64_t place = 0;
    for (std::size_t i = 0; i < sizeof place; ++i)
        place = place << 8 | (i < key.size() ? static_cast<unsigned char>(key[i]) : 0u);
    return place;
}

namespace {

// Of the places after `bad`, all behind the prefix, one of the first from which the cursor can read; `end`: perhaps
// none is.
std::uint64_t find_readable(Cursor& cursor, const std::string& prefix, std::uint64_t bad, std::uint64_t end) {
    const auto is_readable = [&](std::uint64_t place) {
        cursor.seek(prefix + event_key(place));
        return !cursor.fault();
    };
    std::uint64_t good = end;
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
    return good;
}

}  // namespace

std::uint64_t skip_damage(Cursor& cursor, std::uint64_t from, std::uint64_t end) {
    cursor.seek(event_key(find_readable(cursor, {}, from, end)));
    return cursor.is_at_end() ? end : std::min(end, number_of_key(cursor.key()));
}

// First among the keys that have all of `after` as their beginning, and then among more and more.
void skip_damage(Cursor& cursor, std::string_view after) {
    constexpr std::uint64_t end = std::numeric_limits<std::uint64_t>::max();
    for (std::size_t n = after.size() + 1; n-- > 0;) {
        const std::string prefix(after.substr(0, n));
        cursor.seek(prefix + event_key(find_readable(cursor, prefix, number_of_key(after.substr(n)), end)));
        if (!cursor.fault()) return;
    }
}

}  // namespace sluice::store
