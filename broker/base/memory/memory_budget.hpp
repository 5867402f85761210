// The single bound on the daemon's memory (limits.memory). Data that outlives a function and grows with external input
// is charged before it is allocated and released when its owner is destroyed. New work is refused before the bound is
// reached, so that accepted work has room to be delivered. Nothing here allocates or throws. Any thread.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string_view>
#include <utility>

namespace sluice::base {

enum class MemoryUse : std::uint8_t {
    connections,  // their buffers and coroutines
    bodies,       // of requests, until they are parsed; long heads, and the buffers of pipelines
    documents,    // parsed documents, until the last of their events is delivered
    queues,       // events that wait for the matcher
    mailboxes,    // events that wait for a subscriber
    identities,   // of items, to distinguish new ones from old
    store,        // the event log: streams, and events retained after delivery
    filters,      // and what the engine compiles from them
    evaluation,   // decompressing a body, matching events, trying a filter on a document
    overhead,     // uncharged memory, as measured: code, stacks, computed conditions, fragmentation
};
inline constexpr std::array<std::string_view, 10> memory_use_names = {
    "connections", "bodies", "documents", "queues",     "mailboxes",
    "identities",  "store",  "filters",   "evaluation", "overhead"};

class MemoryCharge;
class RoomWatch;

class MemoryBudget {
public:
    explicit MemoryBudget(std::size_t bytes_max) : bytes_max_(bytes_max) {}
    MemoryBudget(const MemoryBudget&) = delete;
    MemoryBudget& operator=(const MemoryBudget&) = delete;

    // Returns an empty charge if there is no room.
    [[nodiscard]] MemoryCharge charge(MemoryUse use, std::size_t bytes);
    // For accepted work that must be delivered. It may exceed the bound; new work is then refused.
    [[nodiscard]] MemoryCharge force_charge(MemoryUse use, std::size_t bytes);

    // The total, over all uses, up to which charges for `use` are accepted: lower for incoming data than for outgoing.
    // Charges of at most 64 KiB and 1/1,024 of the bound may exceed it by a sixteenth of the bound.
    std::size_t ceiling(MemoryUse use) const;
    // Whether a request that has charged `held` could charge `bytes` more for `use` if the broker were idle otherwise.
    bool could_fit(MemoryUse use, std::size_t bytes, std::size_t held = 0) const;
    // Whether a charge would be accepted now. A charge that is refused is counted, as a sign that memory is short; ask
    // first for memory that only makes something faster.
    bool has_room(MemoryUse use, std::size_t bytes) const;

    std::size_t bytes_max() const { return bytes_max_; }
    std::size_t used() const { return used_.load(std::memory_order_relaxed); }
    std::size_t used(MemoryUse use) const { return of(use).load(std::memory_order_relaxed); }
    std::uint64_t refusals() const { return refusals_.load(std::memory_order_relaxed); }

    // Sets the charge of MemoryUse::overhead. It may exceed the bound; new charges are then refused.
    void set_overhead(std::size_t bytes);
    // Sets the overhead of an idle broker, which could_fit() assumes.
    void set_idle_overhead(std::size_t bytes) { idle_overhead_.store(bytes, std::memory_order_relaxed); }
    std::size_t idle_overhead() const { return idle_overhead_.load(std::memory_order_relaxed); }

    // From now on nobody waits for room: watches are called at once.
    void end_watches();

private:
    friend class MemoryCharge;
    friend class RoomWatch;
    using Bytes = std::atomic<std::size_t>;
    static constexpr std::size_t little_bytes = 64u << 10;

    std::size_t ceiling_for(MemoryUse use, std::size_t charge) const;
    // `bytes` are added; `charge` is the resulting size of the whole charge.
    bool take(MemoryUse use, std::size_t bytes, std::size_t charge);
    void force_take(MemoryUse use, std::size_t bytes);
    void release(MemoryUse use, std::size_t bytes);
    void call_watches(std::size_t used);
    void call_watches_locked();
    Bytes& of(MemoryUse use) { return by_use_[static_cast<std::size_t>(use)]; }
    const Bytes& of(MemoryUse use) const { return by_use_[static_cast<std::size_t>(use)]; }

    const std::size_t bytes_max_;
    Bytes used_{0};
    std::array<Bytes, memory_use_names.size()> by_use_{};
    std::atomic<std::uint64_t> refusals_{0};
    Bytes idle_overhead_{0};
    // Changes of used_ that may make room, and what follows them, are in one order with those of watched_.
    Bytes watched_{0};  // more than the greatest total for which a watch is called; 0: there is no watch
    std::mutex watches_mutex_;
    RoomWatch* watches_ = nullptr;
    bool watches_end_ = false;
};

// Bytes charged to a budget; the destructor releases them. An empty charge belongs to no budget: it grows without limit
// and is not counted. The budget must outlive it.
class MemoryCharge {
public:
    MemoryCharge() = default;
    MemoryCharge(MemoryCharge&& other) noexcept { *this = std::move(other); }
    MemoryCharge& operator=(MemoryCharge&& other) noexcept {
        std::swap(budget_, other.budget_);
        std::swap(use_, other.use_);
        std::swap(bytes_, other.bytes_);
        return *this;
    }
    ~MemoryCharge() { release(); }

    explicit operator bool() const { return budget_ != nullptr; }
    std::size_t bytes() const { return bytes_; }

    // Returns false, changing nothing, if there is no room to grow. Shrinking always succeeds.
    [[nodiscard]] bool resize(std::size_t bytes);
    void force_resize(std::size_t bytes);
    void release();

private:
    friend class MemoryBudget;
    MemoryCharge(MemoryBudget& budget, MemoryUse use, std::size_t bytes) : budget_(&budget), use_(use), bytes_(bytes) {}

    MemoryBudget* budget_ = nullptr;
    MemoryUse use_ = MemoryUse::overhead;
    std::size_t bytes_ = 0;
};

// Waits for room in a budget: calls a function once, as soon as a charge would be accepted that has been refused.
// Others may take the room before.
class RoomWatch {
public:
    // `wake` is called by whoever makes room, or before the constructor returns if there is room; not after the
    // destructor has begun. It must not fail, charge or release. The budget must outlive the watch.
    RoomWatch(MemoryBudget& budget, MemoryUse use, std::size_t bytes, std::function<void()> wake);
    RoomWatch(const RoomWatch&) = delete;
    RoomWatch& operator=(const RoomWatch&) = delete;
    ~RoomWatch();

private:
    friend class MemoryBudget;

    MemoryBudget& budget_;
    const std::size_t used_max_;  // the total at which there is room
    const std::function<void()> wake_;
    RoomWatch* next_ = nullptr;
    bool is_listed_ = true;  // it has not been called
};

}  // namespace sluice::base
