#include "broker/base/memory/memory_reserve.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>

namespace sluice::base {

namespace {

// Small enough for malloc's heap: a mapped piece would return to the kernel when freed, where any process may take it.
constexpr std::size_t piece_bytes = 64u << 10;
std::array<std::atomic<void*>, MemoryReserve::bytes / piece_bytes> pieces;

}  // namespace

void MemoryReserve::fill() noexcept {
    for (std::atomic<void*>& piece : pieces) {
        if (piece.load(std::memory_order_relaxed) != nullptr) continue;
        void* const memory = std::malloc(piece_bytes);
        if (memory == nullptr) return;
        std::memset(memory, 0, piece_bytes);  // makes the pages resident, not just reserved
        piece.store(memory, std::memory_order_release);
    }
}

bool MemoryReserve::use() noexcept {
    for (std::atomic<void*>& piece : pieces) {
        void* const memory = piece.exchange(nullptr, std::memory_order_acquire);
        if (memory == nullptr) continue;
        std::free(memory);
        return true;
    }
    return false;
}

bool MemoryReserve::is_full() noexcept {
    return std::all_of(pieces.begin(), pieces.end(),
                       [](const auto& piece) { return piece.load(std::memory_order_relaxed) != nullptr; });
}

void* allocate_or_null(std::size_t size) noexcept {
    void* memory = std::malloc(size);
    while (memory == nullptr && size <= MemoryReserve::small_bytes && MemoryReserve::use()) memory = std::malloc(size);
    return memory;
}

}  // namespace sluice::base
