// A block of the access kernel and its event, in shared memory: the literals that hold, the positions of the event's
// numbers among the bounds, and the pending look-ups. All threads of the block use one EventBlock; access_match.cu says
// who calls what, and between which barriers.
#pragma once

#include <cstdint>

#include "gpu/cpu/segment/access_rows.hpp"
#include "gpu/cuda/access_tables.hpp"
#include "gpu/cuda/clusters/cluster_tables.hpp"
#include "gpu/cuda/records_view.hpp"

namespace sluice::cuda {

constexpr std::uint32_t set_slots = 1024, true_max = 600;
constexpr std::uint32_t position_slots = 256, positions_max = 160;
// The room for an event's tokens that lead to rows alone, in pairs, in triples, and in triples of the other half.
constexpr std::uint32_t lists = cpu::AccessRows::lists, tokens_max = 960;
__device__ constexpr std::uint32_t tokens_room(std::uint32_t list) { return list == 0 ? 448 : list == 1 ? 256 : 128; }
__device__ constexpr std::uint32_t tokens_begin(std::uint32_t list) {
    return list == 0 ? 0 : list == 1 ? 448 : list == 2 ? 704 : 832;
}
constexpr std::uint32_t records_room = 128;
constexpr std::uint32_t queue_room = 768, look_ups_at_once = 512;  // by all threads together
constexpr std::uint32_t long_room = 64, long_words = 192, piece_words = 64;
constexpr std::uint32_t found_room = 256;

struct Bucket {
    std::uint32_t begin, end;
};
struct Position {
    std::uint32_t attribute, lo_end, hi_begin;
};

struct EventShared {
    std::uint32_t set[set_slots];  // codes of literals that hold, or none
    std::uint32_t list[true_max];
    Position positions[position_slots];
    std::uint64_t tokens[tokens_max];
    union {
        EventRecord records[records_room];  // of phase 1
        Bucket queue[queue_room];
    };
    std::uint8_t numbers[records_room], texts[records_room];  // the records that need these steps
    Bucket long_ones[long_room];
    cpu::FoundRow found[found_room];
    std::uint32_t true_count, position_count, token_count[lists], number_count, text_count, queued, long_count,
        found_count, found_fit;
    cpu::FoundRow* found_to;      // the first found_fit of `found` go there
    volatile std::uint32_t left;  // the event is too large for the block; set by any thread
};

template <unsigned threads>
class EventBlock {
public:
    __device__ EventBlock(const AccessView& t, const RecordsView& b, const FoundRows& f, const ClusterMasksView& sc,
                          const ClusterMemory& m, EventShared& shared)
        : tables(t), batch(b), found(f), clusters(sc), memory(m), s(shared), event(b.part_begin + blockIdx.x) {}

protected:
    __device__ void clear() {
        for (unsigned i = threadIdx.x; i < set_slots; i += threads) s.set[i] = engine::none;
        for (unsigned i = threadIdx.x; i < position_slots; i += threads) s.positions[i].attribute = engine::none;
        if (threadIdx.x == 0) {
            s.true_count = s.position_count = s.number_count = s.text_count = s.queued = s.long_count = s.found_count =
                0;
            s.left = 0;
            for (auto& count : s.token_count) count = 0;
        }
        __syncthreads();
    }

    __device__ static std::uint32_t set_slot(std::uint32_t code) { return code * 0x9e3779b1u >> 22; }
    static_assert(set_slots == 1u << (32 - 22));

    __device__ bool is_true(std::uint32_t code) const {
        for (std::uint32_t at = set_slot(code);; at = (at + 1) % set_slots) {
            const std::uint32_t there = s.set[at];
            if (there == code) return true;
            if (there == engine::none) return false;
        }
    }

    __device__ void set(engine::Family family, std::uint32_t index) {
        const std::uint32_t code = engine::LiteralCode(family, index).bits();
        // In a full set, the search ends where it began: `left` is then set.
        for (std::uint32_t at = set_slot(code), looks = 0; looks < set_slots; at = (at + 1) % set_slots, ++looks) {
            const std::uint32_t there = s.set[at];
            if (there == code) return;
            if (there != engine::none) continue;
            if (s.left != 0) return;  // the set may be nearly full, and is no longer read
            const std::uint32_t before = atomicCAS(&s.set[at], engine::none, code);
            if (before == code) return;
            if (before != engine::none) continue;
            const std::uint32_t number = atomicAdd(&s.true_count, 1u);
            if (number < true_max)
                s.list[number] = code;
            else
                s.left = 1;
            return;
        }
    }

    __device__ static std::uint32_t position_slot(std::uint32_t a) { return a * 0x9e3779b1u >> 24; }
    static_assert(position_slots == 1u << (32 - 24));

    __device__ engine::NumberPosition position(std::uint32_t a) const {
        engine::NumberPosition none_there;
        for (std::uint32_t at = position_slot(a);; at = (at + 1) % position_slots) {
            const Position& p = s.positions[at];
            if (p.attribute == engine::none) return none_there;
            if (p.attribute == a) return {p.lo_end, p.hi_begin};
        }
    }

    const AccessView& tables;
    const RecordsView& batch;
    const FoundRows& found;
    const ClusterMasksView& clusters;
    const ClusterMemory& memory;
    EventShared& s;
    const std::uint32_t event;
};

}  // namespace sluice::cuda
