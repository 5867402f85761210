#include "broker/core/ingest/idempotency.hpp"

#include <array>
#include <new>

namespace sluice::broker {

namespace {

constexpr std::size_t entry_bytes = 512;  // with its nodes in the maps and lists, and its scope's if it is the only one
constexpr std::size_t memory_share = 32;  // keys take at most this part of the budget
constexpr std::size_t forgotten_max = 64;  // of one attempt to make room in the budget

text::Digest id_of(const text::Digest& scope, std::string_view key) {
    const std::array<text::Digest, 2> both{scope, text::digest(key)};
    return text::digest({reinterpret_cast<const char*>(both.data()), sizeof both});
}

}  // namespace

void IdempotencyKeys::Claim::keep(const std::string& reply, Clock::time_point now) noexcept {
    if (const auto keys = std::exchange(keys_, nullptr)) keys->keep(id_, reply, now);
}

IdempotencyKeys::Answer IdempotencyKeys::begin(std::string_view scope_name, std::string_view key,
                                               const text::Digest& request, Clock::time_point now) {
    const text::Digest scope = text::digest(scope_name), id = id_of(scope, key);
    const std::lock_guard lock(mutex_);
    forget_before(now - settings_.window);
    if (const auto found = entries_.find(id); found != entries_.end()) {
        const Entry& entry = found->second;
        if (entry.request != request) return {State::mismatch};
        if (!entry.is_done) return {State::in_progress};
        return {State::replayed, {}, entry.reply};
    }
    base::MemoryCharge memory = charge(entry_bytes);
    if (!memory) return {State::no_memory};
    entries_.emplace(id, Entry{scope, request, std::move(memory)});
    bytes_ += entry_bytes;
    return {State::begun, Claim(shared_from_this(), id)};
}

void IdempotencyKeys::keep(const text::Digest& id, const std::string& reply, Clock::time_point now) noexcept {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(id);
    if (found == entries_.end()) return;
    Entry& entry = found->second;
    try {
        entry.reply = reply;
        entry.in_all = all_.insert(all_.end(), id);
        Order& of_scope = by_scope_[entry.scope];
        entry.in_scope = of_scope.insert(of_scope.end(), id);
    } catch (const std::bad_alloc&) {
        if (!all_.empty() && all_.back() == id) all_.pop_back();
        if (const auto scope = by_scope_.find(entry.scope); scope != by_scope_.end() && scope->second.empty())
            by_scope_.erase(scope);
        erase(found);
        return;
    }
    entry.is_done = true;
    entry.done_at = now;
    entry.memory.force_resize(entry_bytes + reply.size());  // small, and accepted already
    bytes_ += reply.size();
    if (Order& of_scope = by_scope_[entry.scope]; of_scope.size() > settings_.keys_max)
        erase(entries_.find(of_scope.front()));
}

void IdempotencyKeys::forget(const text::Digest& id) noexcept {
    const std::lock_guard lock(mutex_);
    if (const auto found = entries_.find(id); found != entries_.end()) erase(found);
}

void IdempotencyKeys::erase(Entries::iterator at) noexcept {
    Entry& entry = at->second;
    bytes_ -= entry.memory.bytes();
    if (entry.is_done) {
        all_.erase(entry.in_all);
        const auto scope = by_scope_.find(entry.scope);
        scope->second.erase(entry.in_scope);
        if (scope->second.empty()) by_scope_.erase(scope);
    }
    entries_.erase(at);
}

void IdempotencyKeys::forget_before(Clock::time_point time) noexcept {
    while (!all_.empty() && entries_.find(all_.front())->second.done_at < time) erase(entries_.find(all_.front()));
}

// Forgets the oldest keys until this many bytes more are within the share of the budget.
bool IdempotencyKeys::make_room(std::size_t bytes) noexcept {
    const std::size_t bytes_max = memory_.bytes_max() / memory_share;
    while (bytes_ + bytes > bytes_max && !all_.empty()) erase(entries_.find(all_.front()));
    return bytes_ + bytes <= bytes_max;
}

base::MemoryCharge IdempotencyKeys::charge(std::size_t bytes) noexcept {
    if (!make_room(bytes)) return {};
    base::MemoryCharge memory = memory_.charge(base::MemoryUse::identities, bytes);
    for (std::size_t n = 0; !memory && n < forgotten_max && !all_.empty(); ++n) {
        erase(entries_.find(all_.front()));
        memory = memory_.charge(base::MemoryUse::identities, bytes);
    }
    return memory;
}

std::size_t IdempotencyKeys::size() const {
    const std::lock_guard lock(mutex_);
    return entries_.size();
}

}  // namespace sluice::broker
