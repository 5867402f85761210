#include <algorithm>
#include <bit>

#include "gpu/tools/search/filter_cuda.cuh"

namespace sluice::substrings {

namespace {

constexpr int block_threads = 1024, warps = block_threads / 32;
constexpr std::size_t bitmap_bits_min = std::size_t{1} << 17, bitmap_bits_max = std::size_t{1} << 20;
constexpr std::size_t all_bitmaps_bytes_max = std::size_t{160} << 10;
constexpr std::size_t bitmap_bits_per_pattern = 64;
constexpr std::size_t class_bytes[] = {1, 2, 3, 4, 8, 16};  // minimum lengths of the classes that form groups
static_assert(std::size(class_bytes) == DeviceGroups::groups_max);
// A place that passes costs as much as testing this many places: searching 1 GiB of a-z for 10,000 patterns took 0.78
// ms with 10 million places let through, and 1.65 ms with 32 million.
constexpr double passed_cost = 60;

struct LaneTally {
    std::uint32_t filter_hits = 0, verified = 0, occurrences = 0;
};

// Which of the 16 windows that begin in a lane's 16 bytes pass: bit p for byte p. `w` holds those bytes and 16 more.
template <int Words>
__device__ std::uint32_t passed(const std::uint32_t (&w)[8], const DeviceGroup& group, const std::uint32_t* bitmap) {
    std::uint32_t mask = 0;
#pragma unroll
    for (int p = 0; p < 16; ++p) {
        std::uint32_t hash = 0;
#pragma unroll
        for (int i = 0; i < Words; ++i) {
            const int at = p / 4 + i;
            std::uint32_t word = p % 4 == 0 ? w[at] : __funnelshift_r(w[at], w[at + 1], 8 * (p % 4));
            if (i == Words - 1) word &= group.window.last_mask;
            hash += word * window_multiplier(i);
        }
        const std::uint32_t bit = hash >> group.bit_shift;
        mask = __funnelshift_r(mask, bitmap[bit / 32] >> (bit % 32), 1);
    }
    return mask >> 16;
}

__device__ std::uint32_t hash_of(const uint4& bytes, const WindowShape& window) {
    const std::uint32_t words[] = {bytes.x, bytes.y, bytes.z, bytes.w};
    const int last = window.words() - 1;
    std::uint32_t hash = 0;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        if (i <= last) hash += (i == last ? words[i] & window.last_mask : words[i]) * window_multiplier(i);
    }
    return hash;
}

__device__ DeviceSlot slot_at(const DeviceGroup& group, std::uint32_t at) {
    const uint4 words = group.slots[at];
    DeviceSlot slot;
    slot.hash = words.x;
    slot.pattern = words.y;
    slot.begin = words.z;
    slot.rest = words.w;
    return slot;
}

// Compares the patterns whose window may begin at a place: one lane, one place.
template <class Output>
__device__ void compare(const DeviceGroup& group, const BatchView& batch, const uint4* pattern_bytes,
                        const Output& output, std::uint32_t place, LaneTally& tally) {
    if (place >= batch.bytes) return;
    const uint4 window = bytes_at(batch, place);
    const std::uint32_t hash = hash_of(window, group.window);
    for (std::uint32_t at = hash >> group.slot_shift;; at = (at + 1) & group.slot_mask) {
        // A separate loop, after which the lanes that found a pattern compare together.
        DeviceSlot slot = slot_at(group, at);
        while (slot.length() != 0 && slot.hash != hash) slot = slot_at(group, at = (at + 1) & group.slot_mask);
        if (slot.length() == 0) return;
        ++tally.verified;
        const std::uint32_t offset = slot.offset(), begin = place - offset;
        if (offset <= place &&
            matches(batch, pattern_bytes, slot.shape(), begin, offset == 0 ? window : bytes_at(batch, begin))) {
            const std::uint32_t text = text_at(batch, slot.shape(), begin);
            if (text != batch.texts && report(output, text, slot.pattern, begin)) ++tally.occurrences;
        }
        if (slot.last()) return;
    }
}

// Finds the patterns in all texts of a batch, whatever their lengths. A lane tests the 16 windows that begin in 16
// bytes of the batch against the bitmaps in the block's shared memory. A warp takes 512 bytes at a time, and compares
// the places that passed 32 at a time, from a queue. Memory traffic: the batch once (the second 16 bytes of a lane are
// its neighbour's first), and about 64 bytes for a place that passed. Floor on an H100: the batch at 2.83 TB/s (1 GiB:
// 0.38 ms); testing a bitmap at every byte, 1.88 TB/s for one group. Measured: 2^27 bytes and 256 patterns 0.10 to 0.13
// ms, 0.44 if every fourth place has one; 1 GiB of a-z and 10,000 patterns of 4 to 64 bytes 1.65 ms.
template <class Output>
__global__ void __launch_bounds__(block_threads, 1)
    filter_kernel(const __grid_constant__ DeviceGroups groups, BatchView batch, const uint4* pattern_bytes,
                  Output output) {
    extern __shared__ uint4 shared[];
    std::uint32_t* bitmap = reinterpret_cast<std::uint32_t*>(shared);
    Queue& queue = reinterpret_cast<Queue*>(bitmap + groups.bitmap_words)[threadIdx.x / 32];
    for (std::uint32_t i = threadIdx.x; i < groups.bitmap_words / 4; i += block_threads)
        shared[i] = reinterpret_cast<const uint4*>(groups.bitmap)[i];
    __syncthreads();

    LaneTally tally;
    std::uint32_t waiting = 0;
    const auto compare_place = [&](std::uint32_t place, std::uint32_t g) {
        compare(groups.group[g], batch, pattern_bytes, output, place, tally);
    };
    const std::uint32_t lane = threadIdx.x % 32, stride = gridDim.x * warps;
    const std::uint32_t tiles = (batch.bytes + BatchView::tile_bytes - 1) / BatchView::tile_bytes;
    const uint4* text = reinterpret_cast<const uint4*>(batch.text);
    std::uint32_t tile = blockIdx.x * warps + threadIdx.x / 32;
    uint4 next_low{}, next_high{};
    if (tile < tiles) {
        next_low = text[tile * 32 + lane];
        next_high = text[tile * 32 + lane + 1];
    }
    for (; tile < tiles; tile += stride) {
        const std::uint32_t w[8] = {next_low.x,  next_low.y,  next_low.z,  next_low.w,
                                    next_high.x, next_high.y, next_high.z, next_high.w};
        if (tiles - tile > stride) {
            next_low = text[(tile + stride) * 32 + lane];
            next_high = text[(tile + stride) * 32 + lane + 1];
        }
        for (int g = 0; g < groups.groups; ++g) {
            const DeviceGroup& group = groups.group[g];
            const std::uint32_t* bits = bitmap + group.bitmap_begin;
            const int words = group.window.words();
            const std::uint32_t mask = words == 1   ? passed<1>(w, group, bits)
                                       : words == 2 ? passed<2>(w, group, bits)
                                       : words == 3 ? passed<3>(w, group, bits)
                                                    : passed<4>(w, group, bits);
            tally.filter_hits += __popc(mask);
            for (std::uint32_t left = mask; __any_sync(0xffffffffu, left != 0); left &= left - 1)
                enqueue(left != 0, tile * BatchView::tile_bytes + lane * 16 + __ffs(left) - 1, g, queue, waiting,
                        compare_place);
        }
    }
    if (lane < waiting) compare_place(queue.first[lane], queue.second[lane]);
    __syncwarp();
    count(output.tally, tally.filter_hits, tally.verified, tally.occurrences);
}

double share_passed(const WindowGroup& group, std::span<const std::string_view> sample) {
    std::size_t bytes = 1, passed = 0;
    for (const std::string_view text : sample) {
        bytes += text.size();
        for (std::size_t at = 0; at + group.window.bytes <= text.size(); ++at) {
            const std::uint32_t hash = window_hash(group.window, text.data() + at);
            passed += group.may_have(hash) && group.find(hash) != WindowGroup::free_slot;
        }
    }
    return static_cast<double>(passed) / static_cast<double>(bytes);
}

// Makes groups of length classes, from the longest down; one joins those before if that lets few more places pass.
std::vector<WindowGroup> make_groups(const PatternPool& pool, std::span<const std::string_view> sample) {
    const GramCounts counts(sample);
    std::vector<WindowGroup> groups;
    std::vector<std::uint32_t> last_members;
    double last_share = 0;
    for (std::size_t c = std::size(class_bytes); c-- > 0;) {
        const std::size_t end = c + 1 < std::size(class_bytes) ? class_bytes[c + 1] : pattern_bytes_max + 1;
        std::vector<std::uint32_t> members;
        for (std::uint32_t p = 0; p < pool.size(); ++p) {
            if (pool.text(p).size() >= class_bytes[c] && pool.text(p).size() < end) members.push_back(p);
        }
        if (members.empty()) continue;
        WindowGroup alone(pool.texts(), members, counts);
        const double share = share_passed(alone, sample);
        if (!groups.empty()) {
            std::vector<std::uint32_t> all = members;
            all.insert(all.end(), last_members.begin(), last_members.end());
            WindowGroup joined(pool.texts(), all, counts);
            const double joined_share = share_passed(joined, sample);
            if (passed_cost * joined_share <= passed_cost * (share + last_share) + 1) {
                groups.back() = std::move(joined);
                last_members = std::move(all);
                last_share = joined_share;
                continue;
            }
        }
        groups.push_back(std::move(alone));
        last_members = std::move(members);
        last_share = share;
    }
    return groups;
}

// Builds the slots of a group's table, of which at most a quarter are used.
std::vector<DeviceSlot> make_slots(const PatternPool& pool, const WindowGroup& group) {
    std::vector<DeviceSlot> slots(std::bit_ceil(4 * group.entries.size()));
    const int shift = 32 - std::countr_zero(slots.size());
    for (const WindowGroup::Entry& entry : group.entries) {
        const std::uint32_t hash = window_hash(group.window, group.window_of(pool.texts(), entry));
        std::size_t at = hash >> shift;
        while (slots[at].length() != 0) at = (at + 1) & (slots.size() - 1);
        const bool last = (entry.offset & WindowGroup::last_flag) != 0;
        slots[at] = {hash, entry, DevicePatterns::shape_of(pool, entry.pattern), last};
    }
    return slots;
}

// The bits of each group's bitmap: many per pattern, as long as all bitmaps fit into a multiprocessor's shared memory.
std::vector<std::size_t> bitmap_bits(std::span<const WindowGroup> groups) {
    std::vector<std::size_t> bits;
    std::size_t all = 0;
    for (const WindowGroup& group : groups) {
        bits.push_back(std::clamp(std::bit_ceil(group.entries.size() * bitmap_bits_per_pattern), bitmap_bits_min,
                                  bitmap_bits_max));
        all += bits.back();
    }
    while (all > 8 * all_bitmaps_bytes_max) {
        std::size_t& largest = *std::max_element(bits.begin(), bits.end());
        largest /= 2;
        all -= largest;
    }
    return bits;
}

}  // namespace

CudaFilter::CudaFilter(const PatternPool& pool, std::span<const std::string_view> sample) : patterns_(pool) {
    std::vector<std::string_view> all(sample.begin(), sample.end());
    constexpr std::size_t sample_bytes_max = std::size_t{64} << 10;
    std::size_t left = sample_bytes_max;
    for (std::uint32_t p = 0; p < pool.size() && left > 0; p += 1 + pool.size() / 4096) {
        all.push_back(pool.text(p).substr(0, left));
        left -= all.back().size();
    }
    const std::vector<WindowGroup> groups = make_groups(pool, all);
    upload_groups(pool, groups);
    int device = 0;
    cuda::check(cudaGetDevice(&device), "cudaGetDevice");
    cuda::check(cudaDeviceGetAttribute(&multiprocessors_, cudaDevAttrMultiProcessorCount, device),
                "cudaDeviceGetAttribute");
    constexpr int shared_bytes_max = static_cast<int>(all_bitmaps_bytes_max + warps * sizeof(Queue));
    for (const void* kernel : {reinterpret_cast<const void*>(filter_kernel<Occurrences>),
                               reinterpret_cast<const void*>(filter_kernel<Places>)})
        cuda::check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes_max),
                    "cudaFuncSetAttribute");
}

void CudaFilter::upload_groups(const PatternPool& pool, std::span<const WindowGroup> groups) {
    const std::vector<std::size_t> bits = bitmap_bits(groups);
    std::vector<std::uint32_t> bitmap;
    for (std::size_t g = 0; g < groups.size(); ++g) {
        const WindowGroup& group = groups[g];
        const std::vector<DeviceSlot> slots = make_slots(pool, group);
        slots_.push_back(cuda::to_device(std::span<const DeviceSlot>(slots)));
        const auto shift = 32 - static_cast<std::uint32_t>(std::countr_zero(bits[g]));
        groups_.group[g] = {group.window,
                            static_cast<std::uint32_t>(bitmap.size()),
                            shift,
                            32 - static_cast<std::uint32_t>(std::countr_zero(slots.size())),
                            static_cast<std::uint32_t>(slots.size() - 1),
                            reinterpret_cast<const uint4*>(slots_.back().data())};
        const std::size_t begin = bitmap.size();
        bitmap.resize(begin + bits[g] / 32);
        for (const WindowGroup::Entry& entry : group.entries) {
            const std::uint32_t bit = window_hash(group.window, group.window_of(pool.texts(), entry)) >> shift;
            bitmap[begin + bit / 32] |= 1u << (bit % 32);
        }
    }
    bitmap_ = cuda::to_device(std::span<const std::uint32_t>(bitmap));
    groups_.groups = static_cast<int>(groups.size());
    groups_.bitmap = bitmap_.data();
    groups_.bitmap_words = static_cast<std::uint32_t>(bitmap.size());
}

template <class Output>
void CudaFilter::enqueue(const BatchView& batch, const Output& output, cudaStream_t stream) const {
    if (groups_.groups == 0 || batch.bytes == 0) return;
    const std::uint32_t tiles = (batch.bytes + BatchView::tile_bytes - 1) / BatchView::tile_bytes;
    const unsigned blocks = std::min<unsigned>(static_cast<unsigned>(multiprocessors_), (tiles + warps - 1) / warps);
    const std::size_t shared_bytes = groups_.bitmap_words * 4 + warps * sizeof(Queue);
    filter_kernel<Output>
        <<<blocks, block_threads, shared_bytes, stream>>>(groups_, batch, patterns_.view().bytes, output);
    cuda::check_launch("filter_kernel");
}

template void CudaFilter::enqueue(const BatchView&, const Occurrences&, cudaStream_t) const;
template void CudaFilter::enqueue(const BatchView&, const Places&, cudaStream_t) const;

}  // namespace sluice::substrings
