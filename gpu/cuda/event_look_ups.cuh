// The access kernel's tokens, and its look-ups of single tokens, pairs and triples, as in AccessRows::look_up. By all
// threads of the block.
#pragma once

#include <cstdint>

#include "gpu/cuda/event_buckets.cuh"

namespace sluice::cuda {

template <unsigned threads>
class EventLookUps : public EventBuckets<threads> {
    using Buckets = EventBuckets<threads>;

public:
    using Buckets::Buckets;

protected:
    using Buckets::read_buckets;
    using Buckets::s;
    using Buckets::tables;

    // Tokens.

    __device__ void add_token(std::uint32_t list, std::uint64_t key) {
        const std::uint32_t at = atomicAdd(&s.token_count[list], 1u);
        if (at < tokens_room(list))
            s.tokens[tokens_begin(list) + at] = golden(key);
        else
            s.left = 1;
    }

    __device__ void collect_tokens() {
        if (s.left != 0 || tables.buckets == 0) return;
        const std::uint32_t trues = s.true_count;
        for (std::uint32_t i = threadIdx.x; tables.uses != nullptr && i < trues; i += threads) {
            const engine::LiteralCode code(s.list[i]);
            const std::uint32_t bit = tables.bases[static_cast<unsigned>(code.family())] + code.index();
            for (unsigned uses = tables.uses[bit]; uses != 0; uses &= uses - 1)  // one bit a list
                add_token(static_cast<std::uint32_t>(__ffs(static_cast<int>(uses))) - 1, cpu::token_key(code));
        }
        if (tables.grids == nullptr || s.position_count == 0) return;
        for (std::uint32_t i = threadIdx.x; i < 3 * position_slots; i += threads) {
            const Position& p = s.positions[i % position_slots];
            if (p.attribute != engine::none) collect_cells(p, i / position_slots);
        }
    }

    // As AccessRows::collect_cells.
    __device__ void collect_cells(const Position& p, std::uint32_t k) {
        const cpu::AccessRows::Grid& grid =
            reinterpret_cast<const cpu::AccessRows::Grid*>(tables.grids)[3 * p.attribute + k];
        if (p.lo_end == 0 || grid.levels == 0) return;
        const std::uint32_t list = k == 2 && tables.in_halves && cpu::half_of(p.attribute) == 1 ? lists - 1 : k;
        const std::uint32_t first = p.hi_begin / grid.width, last = (p.lo_end - 1) / grid.width;
        for (std::uint32_t levels = grid.levels; levels != 0; levels &= levels - 1) {
            const auto level = static_cast<std::uint32_t>(__ffs(static_cast<int>(levels))) - 1;
            const std::uint32_t least = first >> level;
            for (std::uint32_t c = least == 0 ? 0 : least - 1; c <= last >> level && s.left == 0; ++c)
                add_token(list, cpu::token_key(cpu::RangeCell{p.attribute, level, c}, k + 1));
        }
    }

    // Look-ups.

    // For sorting by the last bits first, as on the host.
    __device__ static std::uint64_t halves_swapped(std::uint64_t hash) { return hash << 32 | hash >> 32; }

    // Sorts the tokens for triples, those with the greatest last bits first: two tokens of a three choose the filter's
    // line, and neighbouring triples share it.
    __device__ void sort_threes() {
        for (std::uint32_t list = 2; list < lists; ++list) {
            const std::uint32_t count = s.token_count[list], i = threadIdx.x;
            if (count < 3) continue;
            std::uint64_t* const tokens_of = s.tokens + tokens_begin(list);
            const std::uint64_t own = i < count ? tokens_of[i] : 0;
            std::uint32_t rank = 0;
            for (std::uint32_t j = 0; j < count; ++j) {
                const std::uint64_t mine = halves_swapped(own), other = halves_swapped(tokens_of[j]);
                rank += other > mine || (other == mine && j < i) ? 1 : 0;
            }
            __syncthreads();
            if (i < count) tokens_of[rank] = own;
            __syncthreads();
        }
    }
    static_assert(tokens_room(2) <= threads && tokens_room(3) <= threads);

    // The number of combinations of the event's tokens.
    struct Counts {
        std::uint32_t ones, twos, triples;  // of the first half
        std::uint32_t all;
    };
    __device__ Counts count_look_ups() const {
        const auto threes_of = [](std::uint32_t n) { return n < 3 ? 0 : threes_below(n); };
        const std::uint32_t two = s.token_count[1];
        Counts c{s.token_count[0], two < 2 ? 0 : two * (two - 1) / 2, threes_of(s.token_count[2]), 0};
        c.all = c.ones + c.twos + c.triples + threes_of(s.token_count[3]);
        return c;
    }

    __device__ void look_up_all() {
        if (s.left != 0 || tables.buckets == 0) return;
        sort_threes();
        const Counts counts = count_look_ups();
        const bool all = counts.all > tables.buckets;  // then every bucket is read
        const std::uint32_t total = all ? tables.buckets : counts.all;
        for (std::uint32_t next = 0; next < total;) {
            for (bool room = true; next < total && room; next += look_ups_at_once) {
                ask(all, next, total, counts);
                __syncthreads();
                room = s.queued <= queue_room - look_ups_at_once;
                __syncthreads();
            }
            read_buckets();
        }
    }

    // Performs look-ups next … next + look_ups_at_once - 1; a thread's filter reads are in flight together.
    __device__ void ask(bool all, std::uint32_t next, std::uint32_t total, const Counts& counts) {
        constexpr std::uint32_t each = look_ups_at_once / threads;
        std::uint32_t buckets[each];
        std::uint8_t passes[each];
#pragma unroll
        for (std::uint32_t u = 0; u < each; ++u) {
            const std::uint32_t i = next + u * threads + threadIdx.x;
            buckets[u] = i;
            passes[u] = static_cast<std::uint8_t>(i < total);
            if (i >= total || all) continue;
            const Combination c = combination(i, counts);
            buckets[u] = static_cast<std::uint32_t>(c.hash >> tables.shift);
            const std::uint64_t* const line = tables.filter[c.line >> tables.filter_shift].words.data();
            passes[u] = static_cast<std::uint8_t>(__ldg(line + c.hash / 64 % 8) >> c.hash % 64 & 1);
        }
#pragma unroll
        for (std::uint32_t u = 0; u < each; ++u) {
            if (passes[u] != 0) queue(buckets[u]);
        }
    }

    struct Combination {
        std::uint64_t hash, line;
    };
    __device__ Combination combination(std::uint32_t i, const Counts& counts) const {
        if (i < counts.ones) return {s.tokens[i], s.tokens[i]};
        i -= counts.ones;
        if (i < counts.twos) {
            const std::uint64_t hash = pair(s.tokens + tokens_begin(1), i);
            return {hash, hash};
        }
        i -= counts.twos;
        if (i < counts.triples) return three(s.tokens + tokens_begin(2), i);
        return three(s.tokens + tokens_begin(3), i - counts.triples);
    }

    // The n-th of the pairs (0, 1), (0, 2), (1, 2), (0, 3) …
    __device__ static std::uint32_t pair_row(std::uint32_t n) {
        auto j = static_cast<std::uint32_t>((1 + sqrtf(1 + 8 * static_cast<float>(n))) / 2);
        while (j * (j - 1) / 2 > n) --j;
        while ((j + 1) * j / 2 <= n) ++j;
        return j;
    }
    __device__ static std::uint64_t pair(const std::uint64_t* of, std::uint32_t n) {
        const std::uint32_t j = pair_row(n);
        return of[j] + of[n - j * (j - 1) / 2];
    }
    // The n-th of the triples (0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3), (0, 1, 4) …
    __device__ static std::uint32_t threes_below(std::uint32_t k) {
        return k < 3 ? 0 : static_cast<std::uint32_t>(std::uint64_t{k} * (k - 1) * (k - 2) / 6);
    }
    __device__ static Combination three(const std::uint64_t* of, std::uint32_t n) {
        auto k = static_cast<std::uint32_t>(cbrtf(6 * static_cast<float>(n))) + 1;
        while (k > 2 && threes_below(k) > n) --k;
        while (threes_below(k + 1) <= n) ++k;
        n -= threes_below(k);
        const std::uint32_t j = pair_row(n);
        const std::uint64_t line = of[k] + of[j];
        return {line + of[n - j * (j - 1) / 2], line};
    }

    __device__ void queue(std::uint32_t bucket) {
        const Bucket b{__ldg(&tables.offsets[bucket]), __ldg(&tables.offsets[bucket + 1])};
        if (b.begin == b.end) return;
        if (b.end - b.begin > long_words) {
            const std::uint32_t at = atomicAdd(&s.long_count, 1u);
            if (at < long_room) {
                s.long_ones[at] = b;
                return;
            }
        }
        s.queue[atomicAdd(&s.queued, 1u)] = b;
    }
};

}  // namespace sluice::cuda
