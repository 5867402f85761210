// Reading the buckets that the access kernel's look-ups have found: every literal of their rows is decided. By all
// threads of the block, eight lanes per bucket.
#pragma once

#include <cstdint>

#include "gpu/cuda/event_predicates.cuh"

namespace sluice::cuda {

template <unsigned threads>
class EventBuckets : public EventPredicates<threads> {
    using Predicates = EventPredicates<threads>;

public:
    using Predicates::Predicates;

protected:
    using Predicates::batch;
    using Predicates::event;
    using Predicates::found;
    using Predicates::is_true;
    using Predicates::position;
    using Predicates::s;
    using Predicates::tables;

    __device__ void read_buckets() {
        const std::uint32_t queued = s.queued, long_count = min(s.long_count, long_room);
        for (std::uint32_t i = threadIdx.x / 8; i < queued; i += threads / 8)
            read(s.queue[i].begin, s.queue[i].end, s.queue[i].end);
        for (std::uint32_t i = 0; i < long_count; ++i) {
            const Bucket b = s.long_ones[i];
            for (std::uint32_t at = b.begin + threadIdx.x / 8 * piece_words; at < b.end;
                 at += threads / 8 * piece_words)
                read_piece(b, at);
        }
        __syncthreads();
        if (threadIdx.x == 0) s.queued = s.long_count = 0;
        flush(found_room / 2);
        __syncthreads();
    }

    // Decides the rows that begin in the piece.
    __device__ void read_piece(const Bucket& b, std::uint32_t at) {
        const std::uint32_t end = min(at + piece_words, b.end);
        if (at > b.begin) {
            const std::uint32_t lane = threadIdx.x % 8, tile = 0xffu << threadIdx.x % 32 / 8 * 8;
            for (;; at += 8) {  // to just behind the end of the first row, looking from one word before
                if (at >= end) return;
                const bool is_last =
                    at - 1 + lane < b.end && (tables.records[at - 1 + lane] & AccessView::last_flag) != 0;
                const std::uint32_t lasts = __ballot_sync(tile, is_last) >> (threadIdx.x % 32 / 8 * 8) & 0xff;
                if (lasts == 0) continue;
                at += static_cast<std::uint32_t>(__ffs(static_cast<int>(lasts))) - 1;
                break;
            }
        }
        if (at < end) read(at, end, b.end);
    }

    // By eight lanes: decides the rows that begin in begin … end - 1. A row begins at `begin`; all end before `limit`.
    __device__ void read(std::uint32_t begin, std::uint32_t end, std::uint32_t limit) {
        const std::uint32_t lane = threadIdx.x % 8, shift = threadIdx.x % 32 / 8 * 8, tile = 0xffu << shift;
        const auto ballot = [&](bool p) { return __ballot_sync(tile, p) >> shift & 0xff; };
        std::uint32_t row = begin, target = 0;  // of the row left unfinished by the previous words
        bool within = false, alive = true, pending = false;
        for (std::uint32_t at = begin; at < end || (within && row < end && at < limit); at += 8) {
            const bool there = at + lane < limit;
            const std::uint32_t word = there ? __ldg(&tables.records[at + lane]) : AccessView::last_flag;
            const std::uint32_t lasts = ballot((word & AccessView::last_flag) != 0);
            const std::uint32_t starts = (lasts << 1 | (within ? 0 : 1)) & 0xff;
            const std::uint32_t own = starts & ((2u << lane) - 1);  // the last one begins this lane's row
            const int start = own == 0 ? -1 : 31 - __clz(static_cast<int>(own));
            bool waits = false;
            const bool is_literal = there && start != static_cast<int>(lane);
            const bool holds = !is_literal || literal_holds(word & ~AccessView::last_flag, waits);
            const std::uint32_t fails = ballot(!holds), waiting = ballot(waits);
            const std::uint32_t row_target = __shfl_sync(tile, word, start < 0 ? 0 : start, 8);
            const std::uint32_t from = start < 0 ? 0 : start, mask = ((2u << lane) - 1) & ~((1u << from) - 1);
            const bool good = (fails & mask) == 0 && (start >= 0 || alive);
            const bool wait = (waiting & mask) != 0 || (start < 0 && pending);
            const std::uint32_t begins = start < 0 ? row : at + from;
            const std::uint32_t leads = start < 0 ? target : row_target;
            if (there && is_literal && (word & AccessView::last_flag) != 0 && good && begins < end)
                report(wait ? begins : leads, wait);
            within = (lasts >> 7) == 0;
            row = __shfl_sync(tile, begins, 7, 8);
            target = __shfl_sync(tile, leads, 7, 8);
            alive = __shfl_sync(tile, good, 7, 8);
            pending = __shfl_sync(tile, wait, 7, 8);
        }
    }

    // Sets `waits` if only the host can decide; for now the literal is taken to hold.
    __device__ bool literal_holds(std::uint32_t bits, bool& waits) const {
        const engine::LiteralCode code(bits);
        bool value = false;
        if (code.is_bit()) {
            value = is_true(code.positive().bits());
            if (code.is_not_equal())
                value = !value && is_true(engine::LiteralCode(engine::Family::exists, attribute_of(code)).bits());
        } else if (code.family() == engine::Family::range) {
            value = inside(tables.ranges[code.index()]);
        } else {
            waits = true;
            return true;
        }
        return value != code.negated();
    }

    __device__ std::uint32_t attribute_of(engine::LiteralCode code) const {
        return code.family() == engine::Family::not_equal ? tables.not_equal.entries[code.index()].attribute
                                                          : tables.number_not_equal.entries[code.index()].attribute;
    }

    __device__ bool inside(const engine::RankedRange& r) const { return position(r.attribute).inside(r); }

    // Results.

    __device__ void report(std::uint32_t target_or_row, bool unfinished) {
        cpu::FoundRow row{target_or_row, event | (unfinished ? cpu::FoundRow::unfinished : 0u)};
        if (!unfinished && (target_or_row & AccessView::group_flag) != 0)
            row.row = (target_or_row & ~AccessView::group_flag) | 0x80000000u;
        const std::uint32_t at = atomicAdd(&s.found_count, 1u);
        if (at < found_room)
            s.found[at] = row;
        else
            put(next_place(), row);
    }

    // Where to put a row for which there is no room in shared memory. One addition for all lanes that come together.
    __device__ std::uint64_t next_place() {
        const std::uint32_t lanes = __activemask(), lane = threadIdx.x % 32;
        const auto first = static_cast<std::uint32_t>(__ffs(static_cast<int>(lanes))) - 1;
        unsigned long long begin = 0;
        if (lane == first)
            begin = atomicAdd(&found.counters[0], static_cast<unsigned long long>(__popc(static_cast<int>(lanes))));
        begin = __shfl_sync(lanes, begin, static_cast<int>(first));
        return begin + static_cast<std::uint32_t>(__popc(static_cast<int>(lanes & ((1u << lane) - 1))));
    }

    __device__ void put(std::uint64_t at, const cpu::FoundRow& row) {
        if (at < found.room) write(&found.rows[at], row);
    }

    __device__ static void write(cpu::FoundRow* to, const cpu::FoundRow& row) {
        *reinterpret_cast<uint2*>(to) = {row.row, row.event_and_kind};
    }

    // By all threads, after __syncthreads(): writes the gathered results if there are more than `at_most`.
    __device__ void flush(std::uint32_t at_most) {
        const std::uint32_t count = min(s.found_count, found_room);
        if (count <= at_most) return;
        if (threadIdx.x == 0) {
            const std::uint64_t begin = atomicAdd(&found.counters[0], std::uint64_t{count});
            s.found_to = found.rows + begin;
            s.found_fit =
                begin < found.room ? static_cast<std::uint32_t>(min(found.room - begin, std::uint64_t{count})) : 0;
        }
        __syncthreads();
        for (std::uint32_t i = threadIdx.x; i < s.found_fit; i += threads) write(s.found_to + i, s.found[i]);
        __syncthreads();
        if (threadIdx.x == 0) s.found_count = 0;
    }

    __device__ void finish() {
        __syncthreads();
        if (threadIdx.x == 0 && s.left != 0) {
            s.found[0] = {0, event | cpu::FoundRow::unmatched};
            s.found_count = 1;
        }
        __syncthreads();
        flush(0);
        if (threadIdx.x != 0) return;
        __threadfence();
        if (atomicAdd(&found.counters[1], 1ull) + 1 != batch.events) return;
        *found.count = atomicExch(&found.counters[0], 0ull);
        found.counters[1] = 0;
    }
};

}  // namespace sluice::cuda
