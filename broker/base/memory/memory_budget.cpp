#include "broker/base/memory/memory_budget.hpp"

#include <algorithm>
#include <utility>

#include "gpu/check/check.hpp"

namespace sluice::base {

MemoryCharge MemoryBudget::charge(MemoryUse use, std::size_t bytes) {
    if (!take(use, bytes, bytes)) return {};
    return {*this, use, bytes};
}

MemoryCharge MemoryBudget::force_charge(MemoryUse use, std::size_t bytes) {
    force_take(use, bytes);
    return {*this, use, bytes};
}

// A body becomes a document, and a document becomes deliveries: each stage has room that earlier stages can't fill. A
// connection precedes its request, but it is small, and an operator who investigates needs one.
std::size_t MemoryBudget::ceiling(MemoryUse use) const {
    switch (use) {
        case MemoryUse::bodies:
        case MemoryUse::identities:
        case MemoryUse::store:
        case MemoryUse::filters:
            return bytes_max_ - bytes_max_ / 4;
        case MemoryUse::documents:
        case MemoryUse::queues:
        case MemoryUse::connections:
            return bytes_max_ - bytes_max_ / 8;
        case MemoryUse::evaluation:
        case MemoryUse::mailboxes:
        case MemoryUse::overhead:
            break;
    }
    return bytes_max_;
}

bool MemoryBudget::could_fit(MemoryUse use, std::size_t bytes, std::size_t held) const {
    const std::size_t idle = idle_overhead(), bytes_max = ceiling_for(use, bytes);
    return idle <= bytes_max && held <= bytes_max - idle && bytes <= bytes_max - idle - held;
}

bool MemoryBudget::has_room(MemoryUse use, std::size_t bytes) const {
    const std::size_t bytes_max = ceiling_for(use, bytes);
    return bytes <= bytes_max && used() <= bytes_max - bytes;
}

// Small charges may go further, so that small requests get through beside large ones.
std::size_t MemoryBudget::ceiling_for(MemoryUse use, std::size_t charge) const {
    const std::size_t little = std::min(little_bytes, bytes_max_ / 1'024);
    const std::size_t extra = charge <= little ? bytes_max_ / 16 : 0;
    return std::min(bytes_max_, ceiling(use) + extra);
}

bool MemoryBudget::take(MemoryUse use, std::size_t bytes, std::size_t charge) {
    const std::size_t bytes_max = ceiling_for(use, charge);
    std::size_t used = used_.load(std::memory_order_relaxed);
    do {
        if (bytes > bytes_max || used > bytes_max - bytes) {
            refusals_.fetch_add(1, std::memory_order_relaxed);
            return false;
        }
    } while (!used_.compare_exchange_weak(used, used + bytes, std::memory_order_relaxed));
    of(use).fetch_add(bytes, std::memory_order_relaxed);
    return true;
}

void MemoryBudget::force_take(MemoryUse use, std::size_t bytes) {
    used_.fetch_add(bytes, std::memory_order_relaxed);
    of(use).fetch_add(bytes, std::memory_order_relaxed);
}

void MemoryBudget::release(MemoryUse use, std::size_t bytes) {
    const std::size_t of_use = of(use).fetch_sub(bytes, std::memory_order_relaxed);
    const std::size_t used = used_.fetch_sub(bytes);
    SLUICE_CHECK(bytes <= of_use && bytes <= used);
    call_watches(used - bytes);
}

void MemoryBudget::set_overhead(std::size_t bytes) {
    const std::size_t before = of(MemoryUse::overhead).exchange(bytes, std::memory_order_relaxed);
    const std::size_t used = used_.fetch_add(bytes - before);  // modulo 2^64, so it may also shrink
    call_watches(used + bytes - before);
}

void MemoryBudget::call_watches(std::size_t used) {
    if (used >= watched_.load()) return;
    const std::lock_guard lock(watches_mutex_);
    call_watches_locked();
}

void MemoryBudget::call_watches_locked() {
    std::size_t watched = 0;
    for (RoomWatch** at = &watches_; *at != nullptr;) {
        RoomWatch& watch = **at;
        if (watches_end_ || used() <= watch.used_max_) {
            *at = watch.next_;
            watch.is_listed_ = false;
            watch.wake_();
        } else {
            watched = std::max(watched, watch.used_max_ + 1);
            at = &watch.next_;
        }
    }
    watched_.store(watched);
}

void MemoryBudget::end_watches() {
    const std::lock_guard lock(watches_mutex_);
    watches_end_ = true;
    call_watches_locked();
}

bool MemoryCharge::resize(std::size_t bytes) {
    if (budget_ == nullptr) return true;
    if (bytes > bytes_ && !budget_->take(use_, bytes - bytes_, bytes)) return false;
    if (bytes < bytes_) budget_->release(use_, bytes_ - bytes);
    bytes_ = bytes;
    return true;
}

void MemoryCharge::force_resize(std::size_t bytes) {
    if (budget_ == nullptr) return;
    if (bytes > bytes_) budget_->force_take(use_, bytes - bytes_);
    if (bytes < bytes_) budget_->release(use_, bytes_ - bytes);
    bytes_ = bytes;
}

void MemoryCharge::release() {
    if (budget_ != nullptr) budget_->release(use_, bytes_);
    budget_ = nullptr;
    bytes_ = 0;
}

RoomWatch::RoomWatch(MemoryBudget& budget, MemoryUse use, std::size_t bytes, std::function<void()> wake)
    : budget_(budget),
      used_max_(budget.ceiling_for(use, bytes) - std::min(bytes, budget.ceiling_for(use, bytes))),
      wake_(std::move(wake)) {
    const std::lock_guard lock(budget_.watches_mutex_);
    next_ = std::exchange(budget_.watches_, this);
    budget_.watched_.store(std::max(budget_.watched_.load(), used_max_ + 1));
    // Who releases from here on sees that there is a watch.
    if (budget_.watches_end_ || budget_.used_.load() <= used_max_) budget_.call_watches_locked();
}

RoomWatch::~RoomWatch() {
    const std::lock_guard lock(budget_.watches_mutex_);
    if (!is_listed_) return;
    RoomWatch** at = &budget_.watches_;
    while (*at != this) at = &(*at)->next_;
    *at = next_;
    budget_.call_watches_locked();  // of the others, if any; and says how many there are
}

}  // namespace sluice::base
