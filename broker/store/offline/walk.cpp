#include "broker/store/offline/walk.hpp"

#include "broker/store/rocks/skip_damage.hpp"

namespace sluice::store {

void walk(const Database& database, Family family, const WalkEntry& entry, const WalkDamage& damage) {
    constexpr std::uint64_t end = ~std::uint64_t{0};
    Cursor cursor = database.cursor(family);
    std::uint64_t next = 0;
    std::string last;
    for (cursor.seek("");;) {
        if (!cursor.is_at_end()) {
            last = cursor.key();
            next = number_of_key(last) + 1;
            entry(last, cursor.value());
            cursor.next();
            continue;
        }
        const auto fault = cursor.fault();
        if (!fault) return;
        skip_damage(cursor, last);
        const bool is_end = cursor.is_at_end();
        damage(next, is_end ? end : number_of_key(cursor.key()), fault->what);
        if (is_end) return;
    }
}

}  // namespace sluice::store
