// Phase 1 of the access kernel: the predicates that hold for the block's event, as in PredicateTables::evaluate. By all
// threads of the block.
#pragma once

#include <cstdint>

#include "gpu/cuda/event_block.cuh"
#include "gpu/cuda/substring_key.hpp"
#include "gpu/cuda/text_probe.cuh"

namespace sluice::cuda {

template <unsigned threads>
class EventPredicates : public EventBlock<threads> {
    using Block = EventBlock<threads>;

public:
    using Block::Block;

protected:
    static constexpr std::uint32_t warp_text_max = 256;  // bytes; longer texts are searched by all threads

    using Block::batch;
    using Block::clusters;
    using Block::event;
    using Block::memory;
    using Block::position;
    using Block::position_slot;
    using Block::s;
    using Block::set;
    using Block::tables;

    __device__ void evaluate() {
        const std::uint32_t begin = batch.first[event], end = batch.first[event + 1];
        for (std::uint32_t chunk = begin; chunk < end; chunk += records_room) {
            const std::uint32_t count = min(end - chunk, records_room);
            for (std::uint32_t i = threadIdx.x; i < count; i += threads) look_up_values(i, batch.records[chunk + i]);
            __syncthreads();
            const std::uint32_t numbers = s.number_count, texts = s.text_count;
            for (std::uint32_t i = threadIdx.x / 8; i < numbers; i += threads / 8) locate(s.records[s.numbers[i]]);
            for (std::uint32_t i = threadIdx.x / 32; i < texts; i += threads / 32) find_parts(s.records[s.texts[i]]);
            for (std::uint32_t i = 0; i < texts; ++i) {
                const EventRecord& r = s.records[s.texts[i]];
                if (r.size > warp_text_max) find_substrings(r, threadIdx.x, threads);
            }
            __syncthreads();
            if (threadIdx.x == 0) s.number_count = s.text_count = 0;
            __syncthreads();
        }
    }

    // By one thread: does the look-ups by hash, and queues the steps that several threads do together.
    __device__ void look_up_values(std::uint32_t i, const EventRecord& r) {
        if (r.attribute >= tables.names) return;
        const AttributePlan& plan = tables.plans[r.attribute];
        const std::uint32_t a = plan.local;
        if (a == engine::none) return;
        if ((r.uses & EventRecord::begins) != 0) set(engine::Family::exists, a);
        const bool has_text = (r.uses & EventRecord::look_up_text) != 0;
        if (has_text && (plan.flags & AttributePlan::equal) != 0 && r.size <= plan.equal_bytes_max)
            set_text(engine::Family::equal, tables.equal, a, slice(r));
        if ((r.uses & EventRecord::look_up_number) != 0 && (plan.flags & AttributePlan::number_equal) != 0)
            set_number(engine::Family::number_equal, tables.number_equal, a, r.number);
        if ((r.uses & EventRecord::only_text) != 0 && (plan.flags & AttributePlan::not_equal) != 0)
            set_text(engine::Family::not_equal, tables.not_equal, a, slice(r));
        if ((r.uses & EventRecord::only_number) != 0 && (plan.flags & AttributePlan::number_not_equal) != 0)
            set_number(engine::Family::number_not_equal, tables.number_not_equal, a, r.number);
        const bool range = (r.uses & EventRecord::range) != 0 && plan.bounds != plan.bounds_end;
        const bool parts =
            has_text && (plan.prefixes != plan.prefixes_end || plan.suffixes != plan.suffixes_end || plan.keys != 0);
        if (range) s.numbers[atomicAdd(&s.number_count, 1u)] = i;
        if (parts) s.texts[atomicAdd(&s.text_count, 1u)] = i;
        if (range || parts) s.records[i] = r;
    }

    __device__ Slice slice(const EventRecord& r) const { return {batch.text + r.offset, 0, r.size}; }

    __device__ void set_text(engine::Family family, const TextTableView& table, std::uint32_t a, const Slice& text) {
        probe(table.slots, table.last, hash_of(text, a), [&](std::uint32_t id) {
            const TextEntry entry = load(&table.entries[id]);
            if (entry.attribute != a || entry.size != text.size || !equal(table, entry, text)) return false;
            set(family, id);
            return true;
        });
    }

    __device__ void set_number(engine::Family family, const NumberTableView& table, std::uint32_t a, double number) {
        const std::uint64_t hash =
            engine::mix(static_cast<std::uint64_t>(__double_as_longlong(number + 0.0)) ^ golden(a));
        probe(table.slots, table.last, hash, [&](std::uint32_t id) {
            if (table.entries[id].attribute != a || table.entries[id].number != number) return false;
            set(family, id);
            return true;
        });
    }

    // By a warp: prefixes and suffixes, one size per lane, and the substrings of a short text.
    __device__ void find_parts(const EventRecord& r) {
        const std::uint32_t lane = threadIdx.x % 32;
        const AttributePlan& plan = tables.plans[r.attribute];
        const std::uint32_t a = plan.local;
        const Slice text = slice(r);
        for (std::uint32_t i = plan.prefixes + lane; i < plan.prefixes_end; i += 32) {
            const std::uint32_t size = tables.sizes[i];
            if (size <= r.size) set_text(engine::Family::starts_with, tables.starts_with, a, {text.words, 0, size});
        }
        for (std::uint32_t i = plan.suffixes + lane; i < plan.suffixes_end; i += 32) {
            const std::uint32_t size = tables.sizes[i];
            if (size <= r.size)
                set_text(engine::Family::ends_with, tables.ends_with, a, {text.words, r.size - size, size});
        }
        if (r.size <= warp_text_max) find_substrings(r, lane, 32);
    }

    // Substrings at `first` and every `step` places after it: a warp searches a short text, a block a long one.
    __device__ void find_substrings(const EventRecord& r, std::uint32_t first, std::uint32_t step) {
        const AttributePlan& plan = tables.plans[r.attribute];
        const std::uint32_t a = plan.local, keys = plan.keys;
        if (keys == 0) return;
        const Slice text = slice(r);
        for (std::uint32_t at = first; at < r.size; at += step) {
            const std::uint64_t word = bytes_at(text.words, at);
            for (std::uint32_t left = keys; left != 0; left &= left - 1) {
                const unsigned log = __ffs(static_cast<int>(left)) - 1;
                if (at + (1u << log) > r.size) break;
                probe(tables.substrings.slots, tables.substrings.last, key_hash(a, log, first_bytes(word, 1u << log)),
                      [&](std::uint32_t id) {
                          compare_patterns(id, a, {text.words, at, r.size - at});
                          return false;  // another key may have the same tag
                      });
            }
        }
    }

    __device__ void compare_patterns(std::uint32_t first, std::uint32_t a, const Slice& rest) {
        for (;; ++first) {
            const std::uint32_t pattern = tables.substrings.patterns[first];
            const std::uint32_t id = pattern & ~SubstringView::last_flag;
            const TextEntry entry = load(&tables.contains.entries[id]);
            if (entry.attribute == a && entry.size <= rest.size &&
                equal(tables.contains, entry, {rest.words, rest.begin, entry.size}))
                set(engine::Family::contains, id);
            if ((pattern & SubstringView::last_flag) != 0) return;
        }
    }

    // By eight lanes: the number of bounds less than x. A nine-way search: seven steps for a million bounds.
    __device__ std::uint32_t rank(const double* bounds, std::uint32_t count, double x) const {
        const std::uint32_t lane = threadIdx.x % 8, shift = threadIdx.x % 32 / 8 * 8, end = count;
        std::uint32_t begin = 0;
        while (count > 0) {
            const std::uint32_t step = (count + 8) / 9, at = begin + (lane + 1) * step - 1, old_end = begin + count;
            const bool less = at < old_end && bounds[at] < x;
            const auto passed =
                static_cast<std::uint32_t>(__popc(static_cast<int>(__ballot_sync(0xffu << shift, less))));
            begin += passed * step;
            count = passed == 8 ? old_end - begin : min(step - 1, old_end - begin);
        }
        return min(begin, end);
    }

    // By eight lanes; as RangeTable::locate.
    __device__ void locate(const EventRecord& r) {
        const AttributePlan& plan = tables.plans[r.attribute];
        const std::uint32_t a = plan.local;
        const double* const bounds = tables.bounds + plan.bounds;
        const std::uint32_t count = plan.bounds_end - plan.bounds;
        const double least = r.number;
        const double greatest = r.uses == EventRecord::range
                                    ? __hiloint2double(static_cast<int>(r.size), static_cast<int>(r.offset))
                                    : least;
        const std::uint32_t hi_begin = rank(bounds, count, least);
        std::uint32_t lo_end = least == greatest ? hi_begin : rank(bounds, count, greatest);
        if (lo_end < count && bounds[lo_end] == greatest) ++lo_end;
        if (threadIdx.x % 8 != 0) return;
        if (atomicAdd(&s.position_count, 1u) >= positions_max) {
            s.left = 1;
            return;
        }
        for (std::uint32_t at = position_slot(a);; at = (at + 1) % position_slots) {
            if (atomicCAS(&s.positions[at].attribute, engine::none, a) != engine::none) continue;
            s.positions[at].lo_end = lo_end;
            s.positions[at].hi_begin = hi_begin;
            return;
        }
    }

    // Sets the masks of the cluster rows, as ClusterRows::set. They do not matter if the event is too large for the
    // block.

    __device__ void set_masks() {
        std::uint32_t* const masks = memory.masks + mask_at(event / 32, clusters.stride, 0);
        const std::uint32_t bit = 1u << event % 32, trues = min(s.true_count, true_max);
        for (std::uint32_t i = threadIdx.x; i < trues; i += threads) {
            const engine::LiteralCode code(s.list[i]);
            const MaskPair pair = clusters.of_bit[tables.bases[static_cast<unsigned>(code.family())] + code.index()];
            if (pair.positive != engine::none) atomicOr(&masks[pair.positive], bit);
            if (pair.negated == engine::none) continue;
            if (code.is_not_equal())
                atomicOr(&masks[pair.negated], bit);
            else
                atomicAnd(&masks[pair.negated], ~bit);
        }
        for (std::uint32_t i = threadIdx.x; i < clusters.attribute_count; i += threads)
            memory.positions[i * engine::EventBatch::events_max + event] = position(clusters.range_attributes[i]);
    }
};

}  // namespace sluice::cuda
