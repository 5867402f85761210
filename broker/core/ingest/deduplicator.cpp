#include "broker/core/ingest/deduplicator.hpp"

#include <algorithm>
#include <bit>
#include <new>
#include <utility>

namespace sluice::broker {

namespace {

constexpr std::size_t first_entries = 8;

// At most two thirds of the slots are used.
std::size_t slots_for(std::size_t entries) { return std::bit_ceil(entries + entries / 2 + 1); }

}  // namespace

Deduplicator::Deduplicator(std::size_t entries_max, base::MemoryCharge memory)
    : entries_max_(std::min<std::size_t>(entries_max, none)),
      memory_(std::move(memory)),
      base_bytes_(memory_.bytes()) {}

Deduplicator::Verdict Deduplicator::see(const ItemKey& key, feed::RecordTime now, text::Digest* previous,
                                        const Known* stored) {
    now = newest_time_ = std::max(newest_time_, now);
    if (const std::uint32_t i = find_index(key.identity); i != none) {
        unlink(i);
        link_newest(i);
        entries_[i].seen_at = now;
        if (entries_[i].key.content == key.content) return Verdict::unchanged;
        if (previous != nullptr) *previous = entries_[i].key.content;
        entries_[i].key.content = key.content;
        return Verdict::updated;
    }
    while (entries_.size() >= entries_max_ && make_room()) {
    }
    if (entries_.size() == entries_.capacity() && !grow() && !make_room()) lose(oldest_);
    const auto i = static_cast<std::uint32_t>(entries_.size());
    entries_.push_back({key, now, none, none});
    link_newest(i);
    table_[slot_of(key.identity)] = i;
    if (stored == nullptr) return Verdict::added;
    if (stored->content == key.content) return Verdict::unchanged;
    if (previous != nullptr) *previous = stored->content;
    return Verdict::updated;
}

// Returns false if all items are held.
bool Deduplicator::make_room() noexcept {
    if (held_.size() >= entries_.size()) return false;
    const auto any = [this] {
        random_ = random_ * 6'364'136'223'846'793'005u + 1'442'695'040'888'963'407u;
        auto i = static_cast<std::uint32_t>((random_ >> 32) % entries_.size());
        while (is_held(entries_[i].key.identity)) i = i + 1 == entries_.size() ? 0 : i + 1;
        return i;
    };
    const std::uint32_t one = any(), other = any();
    lose(entries_[one].seen_at < entries_[other].seen_at ? one : other);
    ++forgotten_;
    return true;
}

void Deduplicator::lose(std::uint32_t i) noexcept {
    ++losses_;
    lost_time_ = std::max(lost_time_, entries_[i].seen_at);
    erase(i);
}

void Deduplicator::release(const text::Digest& identity) noexcept {
    const auto held = held_.find(identity);
    if (held != held_.end() && --held->second == 0) held_.erase(held);
}

void Deduplicator::undo(const ItemKey& key, Verdict verdict, const text::Digest& previous) noexcept {
    if (verdict == Verdict::unchanged) return;
    const std::uint32_t i = find_index(key.identity);
    if (i == none) return;
    if (verdict == Verdict::added)
        erase(i);
    else
        entries_[i].key.content = previous;
}

std::uint32_t Deduplicator::find_index(const text::Digest& identity) const {
    return table_.empty() ? none : table_[slot_of(identity)];
}

std::optional<Deduplicator::Known> Deduplicator::find(const text::Digest& identity) const {
    const std::uint32_t i = find_index(identity);
    if (i == none) return std::nullopt;
    return Known{entries_[i].key.content, entries_[i].seen_at};
}

bool Deduplicator::remembers(const text::Digest& identity, const text::Digest& content) const {
    const std::uint32_t i = find_index(identity);
    return i != none && entries_[i].key.content == content;
}

void Deduplicator::forget_before(feed::RecordTime time) noexcept {
    while (oldest_ != none && entries_[oldest_].seen_at < time) erase(oldest_);
    shrink();
}

void Deduplicator::forget_oldest(std::size_t n) noexcept {
    for (std::uint32_t i = oldest_; n != 0 && i != none;) {
        const std::uint32_t next = entries_[i].newer, last = static_cast<std::uint32_t>(entries_.size() - 1);
        if (is_held(entries_[i].key.identity)) {
            i = next;
            continue;
        }
        lose(i);
        --n;
        i = next == last ? i : next;  // the last one has taken its place
    }
    shrink();
}

void Deduplicator::forget_all() noexcept {
    losses_ += entries_.size() + 1;  // a store may have kept items that were undone here
    lost_time_ = newest_time_;
    entries_.clear();
    newest_ = oldest_ = none;
    fill_table();
    shrink();
}

// Returns false if there is no memory to grow and the table is not empty.
bool Deduplicator::grow() {
    const std::size_t entries = entries_.size();
    std::size_t capacity = std::max(first_entries, entries + entries / 2);
    if (entries < entries_max_) capacity = std::min(capacity, entries_max_);
    const std::size_t bytes = base_bytes_ + bytes_of(capacity, slots_for(capacity));
    // The old and the new table coexist for a moment.
    if (!memory_.resize(bytes + memory_bytes())) {
        if (!entries_.empty()) return false;
        memory_.force_resize(bytes);  // the first few are part of a stream
    }
    try {
        move_to(capacity);
    } catch (const std::bad_alloc&) {
        memory_.force_resize(base_bytes_ + memory_bytes());
        if (entries_.empty()) throw;
        return false;
    }
    memory_.force_resize(base_bytes_ + memory_bytes());
    return true;
}

void Deduplicator::move_to(std::size_t capacity) {
    std::vector<Entry> entries;
    entries.reserve(capacity);
    std::vector<std::uint32_t> table(slots_for(capacity));
    entries.assign(entries_.begin(), entries_.end());
    entries_.swap(entries);
    table_.swap(table);
    fill_table();
}

void Deduplicator::shrink() noexcept {
    if (entries_.capacity() <= std::max(first_entries, 2 * entries_.size())) return;
    try {
        move_to(std::max(first_entries, entries_.size() + entries_.size() / 8));
    } catch (const std::bad_alloc&) {  // shrinks next time
    }
    memory_.force_resize(base_bytes_ + memory_bytes());
}

void Deduplicator::fill_table() noexcept {
    std::fill(table_.begin(), table_.end(), none);
    for (std::size_t i = 0; i < entries_.size(); ++i)
        table_[slot_of(entries_[i].key.identity)] = static_cast<std::uint32_t>(i);
}

// The slot that holds the identity, or the free slot where it belongs.
std::size_t Deduplicator::slot_of(const text::Digest& identity) const {
    const std::size_t mask = table_.size() - 1;
    std::size_t slot = text::DigestHash()(identity) & mask;
    while (table_[slot] != none && entries_[table_[slot]].key.identity != identity) slot = (slot + 1) & mask;
    return slot;
}

// Moves the last entry into its place.
void Deduplicator::erase(std::uint32_t i) noexcept {
    unlink(i);
    erase_slot(slot_of(entries_[i].key.identity));
    const auto last = static_cast<std::uint32_t>(entries_.size() - 1);
    if (i != last) {
        table_[slot_of(entries_[last].key.identity)] = i;
        entries_[i] = entries_[last];
        const auto [key, seen_at, newer, older] = entries_[i];
        (newer == none ? newest_ : entries_[newer].older) = i;
        (older == none ? oldest_ : entries_[older].newer) = i;
    }
    entries_.pop_back();
}

// Moves displaced entries back into the hole, so that no search ends too early.
void Deduplicator::erase_slot(std::size_t hole) noexcept {
    const std::size_t mask = table_.size() - 1;
    for (std::size_t slot = (hole + 1) & mask; table_[slot] != none; slot = (slot + 1) & mask) {
        const std::size_t home = text::DigestHash()(entries_[table_[slot]].key.identity) & mask;
        if (((slot - home) & mask) < ((slot - hole) & mask)) continue;
        table_[hole] = table_[slot];
        hole = slot;
    }
    table_[hole] = none;
}

void Deduplicator::unlink(std::uint32_t i) noexcept {
    const auto [key, seen_at, newer, older] = entries_[i];
    (newer == none ? newest_ : entries_[newer].older) = older;
    (older == none ? oldest_ : entries_[older].newer) = newer;
}

void Deduplicator::link_newest(std::uint32_t i) noexcept {
    entries_[i].newer = none;
    entries_[i].older = newest_;
    (newest_ == none ? oldest_ : entries_[newest_].newer) = i;
    newest_ = i;
}

}  // namespace sluice::broker
