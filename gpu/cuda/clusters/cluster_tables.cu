#include <algorithm>
#include <stdexcept>

#include "gpu/cuda/clusters/cluster_tables.hpp"

namespace sluice::cuda {

namespace {

// The cluster kernels' literal numbers: 0 always holds, 1 never does, the others follow.
std::uint32_t number_of(std::uint32_t literal) { return literal == 0 ? literal_true : literal + 1; }

struct Drafts {
    std::vector<MaskPair> of_bit;
    std::vector<std::uint8_t> full;
    std::vector<std::uint32_t> range_attributes;
    std::vector<MaskRange> ranges;
    std::vector<MaskNotEqual> not_equals;
};

Drafts draft(const engine::PredicateTables& tables, std::span<const std::uint32_t> literals) {
    Drafts d;
    d.of_bit.resize(tables.bits());
    d.full.assign(literals.size() + 1, 0);
    d.full[literal_true] = 1;
    std::vector<std::uint32_t> range_of(tables.attributes(), engine::none);
    for (std::uint32_t i = 1; i < literals.size(); ++i) {
        const engine::LiteralCode code(literals[i]);
        const std::uint32_t number = number_of(i);
        if (code.family() == engine::Family::range) {
            const engine::RankedRange& range = tables.ranges().ranked(code.index());
            std::uint32_t& at = range_of[range.attribute];
            if (at == engine::none) {
                at = static_cast<std::uint32_t>(d.range_attributes.size());
                d.range_attributes.push_back(range.attribute);
            }
            d.ranges.push_back({at, range.lo, range.hi, number, code.negated()});
            continue;
        }
        MaskPair& pair = d.of_bit[tables.bit(code)];
        (code.negated() ? pair.negated : pair.positive) = number;
        if (!code.is_not_equal()) d.full[number] = code.negated() ? 1 : 0;
    }
    for (std::uint32_t i = 1; i < literals.size(); ++i) {
        const engine::LiteralCode code(literals[i]);
        if (!code.is_not_equal()) continue;
        const engine::LiteralCode exists(engine::Family::exists, tables.attribute_of(code));
        d.not_equals.push_back({number_of(i), d.of_bit[tables.bit(exists)].positive, code.negated()});
    }
    return d;
}

ClusterRows make_rows(const cpu::ClusterRows& clusters, std::uint32_t literals) {
    std::vector<std::uint32_t> numbers;
    std::vector<std::size_t> ends;
    std::vector<ClusterRow> rows;
    clusters.for_each_numbered([&](std::uint32_t access, std::span<const std::uint32_t> row) {
        for (const std::uint32_t literal : row) numbers.push_back(number_of(literal));
        if (access != 0) numbers.push_back(number_of(access));  // it may be among the row's own
        ends.push_back(numbers.size());
        rows.push_back({static_cast<std::uint32_t>(rows.size()), {}, number_of(access)});
    });
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::size_t begin = i == 0 ? 0 : ends[i - 1];
        rows[i].literals = std::span(numbers).subspan(begin, ends[i] - begin);
    }
    return {rows, literals};
}

__device__ std::uint32_t valid_events(std::uint32_t events, std::uint32_t word) {
    const std::uint32_t left = events - 32 * word;
    return left >= 32 ? 0xffffffffu : (1u << left) - 1;
}

// One thread per word of masks.
__global__ void begin_masks(ClusterMasksView view, ClusterMemory memory, std::uint32_t events,
                            std::uint32_t* hit_count) {
    const std::uint32_t literal = blockIdx.x * blockDim.x + threadIdx.x, word = blockIdx.y;
    if (literal == 0 && word == 0) *hit_count = 0;
    if (literal >= view.stride) return;
    const bool full = literal < view.literals && view.full[literal] != 0;
    memory.masks[mask_at(word, view.stride, literal)] = full ? valid_events(events, word) : 0;
}

// One warp per range and word, one event per lane; then one thread per `!=`. Reads 8 bytes per lane, coalesced.
__global__ void finish_masks(ClusterMasksView view, ClusterMemory memory, std::uint32_t events) {
    const std::uint32_t item = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, word = blockIdx.y;
    const std::uint32_t lane = threadIdx.x % 32, valid = valid_events(events, word);
    std::uint32_t* const masks = memory.masks + mask_at(word, view.stride, 0);
    if (item < view.range_count) {
        const MaskRange r = view.ranges[item];
        const std::uint32_t event = 32 * word + lane;
        const bool inside =
            event < events &&
            memory.positions[r.attribute * engine::EventBatch::events_max + event].inside({r.attribute, r.lo, r.hi});
        const std::uint32_t events_inside = __ballot_sync(0xffffffffu, inside);
        if (lane == 0) masks[r.literal] = r.negated ? valid & ~events_inside : events_inside;
        return;
    }
    const std::uint32_t i = (item - view.range_count) * 32 + lane;
    if (i >= view.not_equal_count) return;
    const MaskNotEqual n = view.not_equals[i];
    const std::uint32_t holds = masks[n.exists] & ~masks[n.literal];
    masks[n.literal] = n.negated ? valid & ~holds : holds;
}

}  // namespace

ClusterTables::ClusterTables(const cpu::Segment& segment, MemoryPool& memory, Uploader& uploader) {
    const cpu::ClusterRows& clusters = segment.cluster_rows();
    if (clusters.empty()) return;
    if (clusters.rows() >= Hit::targets_max) throw std::length_error("more cluster rows than a device takes");
    Drafts d = draft(segment.tables(), clusters.literals());
    view_.literals = static_cast<std::uint32_t>(d.full.size());
    view_.stride = (view_.literals + 31) / 32 * 32;
    view_.attribute_count = static_cast<std::uint32_t>(d.range_attributes.size());
    view_.range_count = static_cast<std::uint32_t>(d.ranges.size());
    view_.not_equal_count = static_cast<std::uint32_t>(d.not_equals.size());
    ArenaLayout layout;
    layout.add(std::move(d.of_bit), &view_.of_bit);
    layout.add(std::move(d.full), &view_.full);
    layout.add(std::move(d.range_attributes), &view_.range_attributes);
    layout.add(std::move(d.ranges), &view_.ranges);
    layout.add(std::move(d.not_equals), &view_.not_equals);
    arena_ = Arena(layout, memory, uploader);
    const Charged charged(memory);
    rows_ = make_rows(clusters, view_.literals);
}

void ClusterTables::begin(std::uint32_t events, const ClusterMemory& memory, std::uint32_t* hit_count,
                          cudaStream_t stream) const {
    const dim3 blocks((view_.stride + 255) / 256, (events + 31) / 32);
    begin_masks<<<blocks, 256, 0, stream>>>(view_, memory, events, hit_count);
    check_launch("begin_masks");
}

void ClusterTables::finish(std::uint32_t events, const ClusterMemory& memory, HitList hits, cudaStream_t stream) const {
    const std::uint32_t words = (events + 31) / 32;
    const std::uint32_t items = view_.range_count + (view_.not_equal_count + 31) / 32;
    if (items > 0) {
        finish_masks<<<dim3((items + 7) / 8, words), 256, 0, stream>>>(view_, memory, events);
        check_launch("finish_masks");
    }
    MatchTuning tuning;
    tuning.overlap_masks = false;  // the kernels before it do not call allow_dependents()
    match_clusters(rows_.view(), {memory.masks, view_.stride}, words, hits, stream, tuning);
}

}  // namespace sluice::cuda
