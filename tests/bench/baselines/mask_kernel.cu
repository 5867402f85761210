#include <algorithm>
#include <cuda_runtime.h>

#include "gpu/device/hopper.cuh"
#include "tests/bench/baselines/mask_ranges.cuh"
#include "tests/bench/baselines/mask_tables.hpp"

namespace sluice::bench {

namespace {

constexpr std::uint32_t tile_values = MaskGroup::literals_max;
// The blocks that an H100 holds at once (with 32 registers per thread): a few more would take twice as long.
constexpr std::uint32_t blocks_max = 132 * 16;

// A text of the block's attribute, in shared memory: all threads of a warp read the same one at a time.
struct alignas(8) Text {
    std::uint64_t key;
    std::uint32_t offset, size, event;
};

// The shared memory of a block: the most that any kind of literal needs.
constexpr std::size_t room_bytes =
    std::max({tile_values * sizeof(Text), tile_values * sizeof(IndexedValue), sizeof(RangeRoom)});

// The first (or last) up to eight bytes; missing ones are 0, behind (before) them.
__device__ std::uint64_t first_bytes(const char* text, std::uint32_t size) {
    std::uint64_t key = 0;
    for (std::uint32_t i = 0; i < min(size, 8u); ++i)
        key |= std::uint64_t{static_cast<unsigned char>(text[i])} << 8 * i;
    return key;
}
__device__ std::uint64_t last_bytes(const char* text, std::uint32_t size) {
    std::uint64_t key = 0;
    for (std::uint32_t i = 0; i < min(size, 8u); ++i)
        key |= std::uint64_t{static_cast<unsigned char>(text[size - 1 - i])} << (56 - 8 * i);
    return key;
}

__device__ bool same_bytes(const char* a, const char* b, std::uint32_t size) {
    for (std::uint32_t i = 0; i < size; ++i) {
        if (a[i] != b[i]) return false;
    }
    return true;
}

// Masks the key's bytes that count for an operand of this size.
__device__ std::uint64_t low_bytes(std::uint32_t size) { return size >= 8 ? ~0ull : (1ull << 8 * size) - 1; }
__device__ std::uint64_t high_bytes(std::uint32_t size) { return size >= 8 ? ~0ull : ~(~0ull >> 8 * size); }

// Loads the values into shared memory a tile at a time, each by load(indexed value), and calls visit for each.
template <class T, class Load, class Visit>
__device__ void for_each_value(const BatchView& batch, Values values, T* tile, Load load, Visit visit) {
    for (std::uint32_t begin = values.begin; begin < values.end; begin += tile_values) {
        const std::uint32_t count = min(tile_values, values.end - begin);
        if (begin != values.begin) __syncthreads();
        if (threadIdx.x < count) {
            tile[threadIdx.x] = load(batch.by_attribute[begin + threadIdx.x]);
        }
        __syncthreads();
#pragma unroll 8
        for (std::uint32_t i = 0; i < count; ++i) visit(tile[i]);
    }
}

__device__ std::uint32_t existing(const BatchView& batch, Values values) {
    std::uint32_t events = 0;
    for (std::uint32_t i = values.begin; i < values.end; ++i) events |= batch.by_attribute[i].event_bit;
    return events;
}

__device__ std::uint32_t compare_numbers(const BatchView& batch, Values values, MaskKind kind, double operand,
                                         IndexedValue* tile) {
    const auto load = [](const IndexedValue& v) { return v; };
    const bool inverse = kind == MaskKind::number_not_equal;
    std::uint32_t events = 0;
    for_each_value(batch, values, tile, load, [&](const IndexedValue& v) {
        if ((v.number == operand) != inverse) events |= v.event_bit;
    });
    return events;
}

__device__ std::uint32_t compare_texts(const BatchView& batch, Values values, MaskKind kind, MaskOperand operand,
                                       const char* operand_bytes, bool active, Text* tile) {
    const auto load = [&](const IndexedValue& v) {
        const TextRef text = batch.text[v.value];
        std::uint64_t key = 0;
        if (kind == MaskKind::starts_with) {
            key = first_bytes(batch.bytes + text.offset, text.size);
        } else if (kind == MaskKind::ends_with) {
            key = last_bytes(batch.bytes + text.offset, text.size);
        } else {
            key = batch.hash[v.value];
        }
        return Text{key, text.offset, text.size, v.event_bit};
    };
    const std::uint32_t size = operand.text.size;
    const std::uint64_t key = operand.text.key;
    const char* bytes = operand_bytes + operand.text.offset;
    const std::uint64_t relevant = kind == MaskKind::starts_with ? low_bytes(size)
                                   : kind == MaskKind::ends_with ? high_bytes(size)
                                                                 : ~0ull;
    const bool whole = kind == MaskKind::equal || kind == MaskKind::not_equal;
    const bool inverse = kind == MaskKind::not_equal;
    std::uint32_t events = 0;
    for_each_value(batch, values, tile, load, [&](const Text& v) {
        bool same = active && ((v.key ^ key) & relevant) == 0 && (whole ? v.size == size : v.size >= size);
        if (same) {
            const char* text = batch.bytes + v.offset + (kind == MaskKind::ends_with ? v.size - size : 0);
            same = same_bytes(text, bytes, size);
        }
        if (same != inverse) events |= v.event;
    });
    return events;
}

// Each thread searches every position of every value for its own operand: eight bytes are compared at once, in a window
// that all threads move along the same text, and the rest if these agree.
__device__ std::uint32_t search_texts(const BatchView& batch, Values values, MaskOperand operand,
                                      const char* operand_bytes) {
    const std::uint32_t size = operand.text.size;
    const std::uint64_t key = operand.text.key, relevant = low_bytes(size);
    const char* bytes = operand_bytes + operand.text.offset;
    std::uint32_t events = 0;
    for (std::uint32_t i = values.begin; i < values.end; ++i) {
        const IndexedValue v = batch.by_attribute[i];
        const std::uint32_t event = v.event_bit;
        const TextRef ref = batch.text[v.value];
        const char* text = batch.bytes + ref.offset;
        std::uint64_t window = first_bytes(text, ref.size);
        if (size == 0) events |= event;
        for (std::uint32_t p = 0; p < ref.size; ++p) {
            if (((window ^ key) & relevant) == 0 && (events & event) == 0 && size <= ref.size - p &&
                same_bytes(text + p, bytes, size))
                events |= event;
            const std::uint64_t next = p + 8 < ref.size ? static_cast<unsigned char>(text[p + 8]) : 0;
            window = window >> 8 | next << 56;
        }
    }
    return events;
}

// The events of a word for which the thread's literal holds, before negation. Not for ranges.
__device__ std::uint32_t holds_for(const MaskTablesView& tables, const BatchView& batch, std::uint32_t word,
                                   const MaskGroup& group, MaskOperand operand, bool active, std::byte* room) {
    switch (group.kind) {
        case MaskKind::never:
            return 0;
        case MaskKind::exists:
            return existing(batch, values_of(batch, word, operand.attribute));
        case MaskKind::number_equal:
        case MaskKind::number_not_equal:
            return compare_numbers(batch, values_of(batch, word, group.attribute), group.kind, operand.number,
                                   reinterpret_cast<IndexedValue*>(room));
        case MaskKind::contains:
            return search_texts(batch, values_of(batch, word, group.attribute), operand, tables.bytes);
        default:
            return compare_texts(batch, values_of(batch, word, group.attribute), group.kind, operand, tables.bytes,
                                 active, reinterpret_cast<Text*>(room));
    }
}

// A block decides up to 128 literals of one kind and attribute, one per thread, for word blockIdx.y of 32 events and
// every gridDim.y-th word after it. Ranges: mask_ranges.cuh. For the other kinds the attribute's values are loaded into
// shared memory once per word and read by broadcast, so a comparison costs a load of 16 bytes per warp, a compare and a
// predicated OR. No thread looks at values of other attributes. Writes are coalesced if literals were numbered by kind
// and attribute. Bytes: 21 in and 4 out per literal; an event's values once per block. 30,000 ranges x 32 events: 0.75
// MB (0.15 us at 5.1 TB/s). What remains is a launch, four dependent reads of the L2 cache and two barriers: 3.7 us
// alone in a graph. 1,024 events: 8.5 us.
__global__ void __launch_bounds__(MaskGroup::literals_max, 16)
    evaluate_groups(const MaskTablesView tables, const __grid_constant__ BatchView batch, const MaskView out,
                    std::uint32_t* reset) {
    __shared__ alignas(16) std::byte room[room_bytes];
    cuda::allow_dependents();
    const MaskGroup group = tables.groups[blockIdx.x];
    const std::uint32_t at = blockIdx.x * MaskGroup::literals_max + threadIdx.x;
    const MaskOperand operand = tables.operands[at];
    const std::uint32_t literal = tables.literals[at];
    const bool active = threadIdx.x < group.count;  // the others only help to load
    const auto write = [&](std::uint32_t word, std::uint32_t events) {
        constexpr std::uint32_t negated = MaskTablesView::negated_flag;
        if (!active) return;
        if ((literal & negated) != 0) events = batch.valid[word] & ~events;
        out.masks[std::size_t{word} * out.stride + (literal & ~negated)] = events;
    };
    if (group.kind == MaskKind::range) {
        evaluate_ranges(batch, group.attribute, operand, tables.places[at], *reinterpret_cast<RangeRoom*>(room), write);
    } else {
        for (std::uint32_t word = blockIdx.y; word < batch.words; word += gridDim.y) {
            if (word != blockIdx.y) __syncthreads();  // wait until all have read the previous word's values
            write(word, holds_for(tables, batch, word, group, operand, active, room));
        }
    }
    if (blockIdx.x != 0 || blockIdx.y != 0) return;
    cuda::wait_for_previous();  // one block is enough: when this kernel has ended, so have those before it
    if (reset != nullptr && threadIdx.x == 0) *reset = 0;
}

}  // namespace

void evaluate_masks(const MaskTables& tables, const BatchView& batch, MaskView masks, std::uint32_t* reset,
                    cudaStream_t stream, bool overlap) {
    const MaskTablesView view = tables.view();
    if (batch.words == 0) {
        if (reset != nullptr) cuda::check(cudaMemsetAsync(reset, 0, sizeof *reset, stream), "cudaMemsetAsync");
        return;
    }
    // Sets the shared memory split that the next kernel wants; otherwise that could not start before this one has left
    // the multiprocessor.
    cuda::check(cudaFuncSetAttribute(evaluate_groups, cudaFuncAttributePreferredSharedMemoryCarveout,
                                     cudaSharedmemCarveoutMaxShared),
                "cudaFuncSetAttribute");
    cudaLaunchConfig_t config{};
    // If there are more words, blocks take several each.
    config.gridDim = dim3(view.group_count, std::clamp(blocks_max / view.group_count, 1u, batch.words));
    config.blockDim = dim3(MaskGroup::literals_max);
    config.stream = stream;
    cudaLaunchAttribute attribute;
    if (overlap) cuda::launch_early(evaluate_groups, config, &attribute);
    cuda::check(cudaLaunchKernelEx(&config, evaluate_groups, view, batch, masks, reset), "evaluate_groups");
}

}  // namespace sluice::bench
