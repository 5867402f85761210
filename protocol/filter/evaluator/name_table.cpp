#include "protocol/filter/evaluator/name_table.hpp"

#include <algorithm>
#include <functional>

namespace sluice::xpath {

namespace {

constexpr std::size_t slots_min = 64;

std::uint32_t hash_of(std::string_view name) { return static_cast<std::uint32_t>(std::hash<std::string_view>{}(name)); }

}  // namespace

// The slot of the name, or the free slot for it.
std::size_t NameTable::place(std::uint32_t hash, std::string_view name) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = hash & mask;
    while (slots_[at].name != no_name && (slots_[at].hash != hash || texts_[slots_[at].name] != name))
        at = (at + 1) & mask;
    return at;
}

std::uint32_t NameTable::find(std::string_view name) const {
    return slots_.empty() ? no_name : slots_[place(hash_of(name), name)].name;
}

std::uint32_t NameTable::intern_rare(std::string_view name) {
    if (2 * texts_.size() >= slots_.size()) grow();
    const std::uint32_t hash = hash_of(name);
    Slot& slot = slots_[place(hash, name)];
    if (slot.name == no_name) {
        slot = {hash, static_cast<std::uint32_t>(texts_.size())};
        texts_.push_back(name);
    }
    return slot.name;
}

void NameTable::clear() {
    recent_.fill(no_name);
    texts_.clear();
    std::fill(slots_.begin(), slots_.end(), Slot());
}

void NameTable::grow() {
    std::vector<Slot> old(std::max(slots_min, 2 * slots_.size()));
    old.swap(slots_);
    for (const Slot& slot : old)
        if (slot.name != no_name) slots_[place(slot.hash, texts_[slot.name])] = slot;
}

}  // namespace sluice::xpath
