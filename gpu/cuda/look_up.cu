#include "gpu/cuda/device.hpp"
#include "gpu/cuda/look_up.hpp"
#include "gpu/cuda/substring_key.hpp"

// One block an event. It does what PredicateTables::evaluate and AccessRows::match do, with the same arrays:
//
//   1. predicates: a thread for each value looks it up by hash and compares the bytes; a warp for each value with
//      prefixes, suffixes or substrings to look for; eight lanes for each number find its rank among the bounds, nine
//      ways a step. Literals that hold are kept in a hash set in shared memory, positions of numbers too.
//   2. tokens: the hashes of the event's access tokens, by how many of them together lead to a row.
//   3. look-ups, in rounds: each thread takes tokens, pairs or threes by number, asks the filter, and puts the bucket
//      found into a queue; then eight lanes together take a bucket, or 64 words of a long one, and read it eight words
//      (32 bytes) at a time, each lane deciding one literal.
//   4. rows that hold gather in shared memory and leave it together.
//
// What does not fit into shared memory (hundreds of true literals or tokens) is left to the host: the event is reported
// as unmatched. Bytes moved: 24 a value and its text; then 32 at a time from random places: about one for each look-up
// in a table, one for each pair asked of the filter, two or more for each bucket found. So the floor is that of random
// 32-byte reads, some 40 to 100 thousand million a second from memory and from L2.

namespace sluice::cuda {

namespace {

constexpr std::uint32_t set_slots = 1024, true_max = 600;
constexpr std::uint32_t position_slots = 256, positions_max = 160;
// Of an event's tokens so many that lead to rows alone, in pairs, in threes, and in threes of the other half.
constexpr std::uint32_t lists = AccessRows::lists, tokens_max = 960;
__device__ constexpr std::uint32_t tokens_room(std::uint32_t list) { return list == 0 ? 448 : list == 1 ? 256 : 128; }
__device__ constexpr std::uint32_t tokens_begin(std::uint32_t list) {
    return list == 0 ? 0 : list == 1 ? 448 : list == 2 ? 704 : 832;
}
constexpr std::uint32_t small_batch_max = 264;  // events: two blocks for each of 132 multiprocessors
constexpr std::uint32_t records_room = 128;
constexpr std::uint32_t queue_room = 768, look_ups_at_once = 512;  // by all threads
constexpr std::uint32_t long_room = 64, long_words = 192, piece_words = 64;
constexpr std::uint32_t found_room = 256;

struct Bucket {
    std::uint32_t begin, end;
};
struct Position {
    std::uint32_t attribute, lo_end, hi_begin;
};

struct Shared {
    std::uint32_t set[set_slots];  // codes of literals that hold, or none
    std::uint32_t list[true_max];
    Position positions[position_slots];
    std::uint64_t tokens[tokens_max];
    union {
        EventRecord records[records_room];  // of phase 1
        Bucket queue[queue_room];
    };
    std::uint8_t numbers[records_room], texts[records_room];  // the records that ask for these
    Bucket long_ones[long_room];
    FoundRow found[found_room];
    std::uint32_t true_count, position_count, token_count[lists], number_count, text_count, queued, long_count,
        found_count, found_base;
    volatile std::uint32_t left;  // the event is too much; written by whoever notices
};

__device__ std::uint64_t golden(std::uint64_t x) { return x * 0x9e3779b97f4a7c15u; }

// Eight bytes from any place of a text; what is behind its last word is read but means nothing.
__device__ std::uint64_t bytes_at(const std::uint64_t* words, std::uint32_t at) {
    const std::uint32_t shift = at % 8 * 8;
    const std::uint64_t low = words[at / 8];
    return shift == 0 ? low : low >> shift | words[at / 8 + 1] << (64 - shift);
}
__device__ std::uint64_t first_bytes(std::uint64_t word, std::uint32_t n) {
    return n >= 8 ? word : word & ((std::uint64_t{1} << 8 * n) - 1);
}

// A part of a text: bytes begin … begin + size - 1.
struct Slice {
    const std::uint64_t* words;
    std::uint32_t begin, size;

    __device__ std::uint64_t word(std::uint32_t at) const {  // bytes at … at + 7, zeros behind the end
        return first_bytes(begin % 8 == 0 ? words[(begin + at) / 8] : bytes_at(words, begin + at), size - at);
    }
};

// hash_bytes of gpu/tables/hash.hpp.
__device__ std::uint64_t hash_of(const Slice& text, std::uint32_t attribute) {
    std::uint64_t h = attribute ^ golden(text.size);
    std::uint32_t at = 0;
    for (; at + 8 <= text.size; at += 8) {
        h = (h ^ text.word(at)) * 0x9fb21c651e98df25u;
        h ^= h >> 35;
    }
    return mix(h ^ (at < text.size ? text.word(at) : 0));
}

__device__ bool equal(const TextTableView& table, const TextEntry& entry, const Slice& text) {
    for (std::uint32_t at = 0; at < text.size; at += 8) {
        if (table.words[entry.begin + at / 8] != text.word(at)) return false;
    }
    return true;
}

__device__ TextEntry load(const TextEntry* entry) {
    const uint4 e = __ldg(reinterpret_cast<const uint4*>(entry));
    return {e.x, e.y, e.z, e.w};
}

__device__ HashIndex::Slot load(const HashIndex::Slot* slot) {
    const uint2 s = __ldg(reinterpret_cast<const uint2*>(slot));
    HashIndex::Slot result;
    result.tag = s.x;
    result.id = s.y;
    return result;
}

// visit(id) for each slot that may have this hash, until it says true.
template <class Visit>
__device__ void probe(const HashIndex::Slot* slots, std::uint32_t last, std::uint64_t hash, Visit visit) {
    const auto tag = static_cast<std::uint32_t>(hash >> 32);
    for (auto at = static_cast<std::uint32_t>(hash) & last;; at = (at + 1) & last) {
        const HashIndex::Slot slot = load(&slots[at]);
        if (slot.id == none || (slot.tag == tag && visit(slot.id))) return;
    }
}

template <unsigned threads>
class EventMatch {
public:
    __device__ EventMatch(const LookUpView& t, const RecordsView& b, const FoundRows& f, const ScanView& sc,
                          const ScanMemory& m, Shared& shared)
        : tables(t), batch(b), found(f), scan(sc), memory(m), s(shared), event(blockIdx.x) {}

    __device__ void run() {
        clear();
        evaluate();
        __syncthreads();
        if (scan.of_bit != nullptr) set_masks();
        collect_tokens();
        __syncthreads();
        look_up_all();
        finish();
    }

private:
    __device__ void clear() {
        for (unsigned i = threadIdx.x; i < set_slots; i += threads) s.set[i] = none;
        for (unsigned i = threadIdx.x; i < position_slots; i += threads) s.positions[i].attribute = none;
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
            if (there == none) return false;
        }
    }

    __device__ void set(Family family, std::uint32_t index) {
        const std::uint32_t code = LiteralCode(family, index).bits();
        for (std::uint32_t at = set_slot(code);; at = (at + 1) % set_slots) {
            const std::uint32_t there = s.set[at];
            if (there == code) return;
            if (there != none) continue;
            if (s.left != 0) return;  // the set may be nearly full, and nobody will look into it
            const std::uint32_t before = atomicCAS(&s.set[at], none, code);
            if (before == code) return;
            if (before != none) continue;
            const std::uint32_t number = atomicAdd(&s.true_count, 1u);
            if (number < true_max)
                s.list[number] = code;
            else
                s.left = 1;
            return;
        }
    }

    // Phase 1.

    __device__ void evaluate() {
        const std::uint32_t begin = batch.first[event], end = batch.first[event + 1];
        for (std::uint32_t chunk = begin; chunk < end; chunk += records_room) {
            const std::uint32_t count = min(end - chunk, records_room);
            for (std::uint32_t i = threadIdx.x; i < count; i += threads) look_up_values(i, batch.records[chunk + i]);
            __syncthreads();
            const std::uint32_t numbers = s.number_count, texts = s.text_count;
            for (std::uint32_t i = threadIdx.x / 8; i < numbers; i += threads / 8) locate(s.records[s.numbers[i]]);
            for (std::uint32_t i = threadIdx.x / 32; i < texts; i += threads / 32) find_parts(s.records[s.texts[i]]);
            __syncthreads();
            if (threadIdx.x == 0) s.number_count = s.text_count = 0;
            __syncthreads();
        }
    }

    // By one thread: what is found by hash; notes what several threads do together.
    __device__ void look_up_values(std::uint32_t i, const EventRecord& r) {
        if (r.attribute >= tables.names) return;
        const AttributePlan& plan = tables.plans[r.attribute];
        const std::uint32_t a = plan.local;
        if (a == none) return;
        if ((r.uses & EventRecord::begins) != 0) set(Family::exists, a);
        const bool has_text = (r.uses & EventRecord::look_up_text) != 0;
        if (has_text && (plan.flags & AttributePlan::equal) != 0 && r.size <= plan.equal_bytes_max)
            set_text(Family::equal, tables.equal, a, slice(r));
        if ((r.uses & EventRecord::look_up_number) != 0 && (plan.flags & AttributePlan::number_equal) != 0)
            set_number(Family::number_equal, tables.number_equal, a, r.number);
        if ((r.uses & EventRecord::only_text) != 0 && (plan.flags & AttributePlan::not_equal) != 0)
            set_text(Family::not_equal, tables.not_equal, a, slice(r));
        if ((r.uses & EventRecord::only_number) != 0 && (plan.flags & AttributePlan::number_not_equal) != 0)
            set_number(Family::number_not_equal, tables.number_not_equal, a, r.number);
        const bool range = (r.uses & EventRecord::range) != 0 && plan.bounds != plan.bounds_end;
        const bool parts =
            has_text && (plan.prefixes != plan.prefixes_end || plan.suffixes != plan.suffixes_end || plan.keys != 0);
        if (range) s.numbers[atomicAdd(&s.number_count, 1u)] = i;
        if (parts) s.texts[atomicAdd(&s.text_count, 1u)] = i;
        if (range || parts) s.records[i] = r;
    }

    __device__ Slice slice(const EventRecord& r) const { return {batch.text + r.offset, 0, r.size}; }

    __device__ void set_text(Family family, const TextTableView& table, std::uint32_t a, const Slice& text) {
        probe(table.slots, table.last, hash_of(text, a), [&](std::uint32_t id) {
            const TextEntry entry = load(&table.entries[id]);
            if (entry.attribute != a || entry.size != text.size || !equal(table, entry, text)) return false;
            set(family, id);
            return true;
        });
    }

    __device__ void set_number(Family family, const NumberTableView& table, std::uint32_t a, double number) {
        const std::uint64_t hash = mix(static_cast<std::uint64_t>(__double_as_longlong(number + 0.0)) ^ golden(a));
        probe(table.slots, table.last, hash, [&](std::uint32_t id) {
            if (table.entries[id].attribute != a || table.entries[id].number != number) return false;
            set(family, id);
            return true;
        });
    }

    // By a warp: prefixes and suffixes, one size a lane.
    __device__ void find_parts(const EventRecord& r) {
        const std::uint32_t lane = threadIdx.x % 32;
        const AttributePlan& plan = tables.plans[r.attribute];
        const std::uint32_t a = plan.local;
        const Slice text = slice(r);
        for (std::uint32_t i = plan.prefixes + lane; i < plan.prefixes_end; i += 32) {
            const std::uint32_t size = tables.sizes[i];
            if (size <= r.size) set_text(Family::starts_with, tables.starts_with, a, {text.words, 0, size});
        }
        for (std::uint32_t i = plan.suffixes + lane; i < plan.suffixes_end; i += 32) {
            const std::uint32_t size = tables.sizes[i];
            if (size <= r.size) set_text(Family::ends_with, tables.ends_with, a, {text.words, r.size - size, size});
        }
        if (plan.keys != 0) find_substrings(r, a, plan.keys);
    }

    // By a warp: substrings, one place of the text a lane.
    __device__ void find_substrings(const EventRecord& r, std::uint32_t a, std::uint32_t keys) {
        const Slice text = slice(r);
        for (std::uint32_t at = threadIdx.x % 32; at < r.size; at += 32) {
            const std::uint64_t word = bytes_at(text.words, at);
            for (std::uint32_t left = keys; left != 0; left &= left - 1) {
                const unsigned log = __ffs(static_cast<int>(left)) - 1;
                if (at + (1u << log) > r.size) break;
                probe(tables.substrings.slots, tables.substrings.last, key_hash(a, log, first_bytes(word, 1u << log)),
                      [&](std::uint32_t first) {
                          compare_patterns(first, a, {text.words, at, r.size - at});
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
                set(Family::contains, id);
            if ((pattern & SubstringView::last_flag) != 0) return;
        }
    }

    // By eight lanes: how many of the bounds are less than x. Nine ways a step, so seven for a million.
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

    // By eight lanes; RangeTable::locate.
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
            if (atomicCAS(&s.positions[at].attribute, none, a) != none) continue;
            s.positions[at].lo_end = lo_end;
            s.positions[at].hi_begin = hi_begin;
            return;
        }
    }

    __device__ static std::uint32_t position_slot(std::uint32_t a) { return a * 0x9e3779b1u >> 24; }
    static_assert(position_slots == 1u << (32 - 24));

    // Masks of the scanned rows; as ScanRows::set. Where the event is too much they don't matter.

    __device__ void set_masks() {
        std::uint32_t* const masks = memory.masks + event / 32 * scan.stride;
        const std::uint32_t bit = 1u << event % 32, trues = min(s.true_count, true_max);
        for (std::uint32_t i = threadIdx.x; i < trues; i += threads) {
            const LiteralCode code(s.list[i]);
            const MaskPair pair = scan.of_bit[tables.bases[static_cast<unsigned>(code.family())] + code.index()];
            if (pair.positive != none) atomicOr(&masks[pair.positive], bit);
            if (pair.negated == none) continue;
            if (code.is_not_equal())
                atomicOr(&masks[pair.negated], bit);
            else
                atomicAnd(&masks[pair.negated], ~bit);
        }
        for (std::uint32_t i = threadIdx.x; i < scan.attribute_count; i += threads)
            memory.positions[i * EventBatch::events_max + event] = position(scan.range_attributes[i]);
    }

    __device__ NumberPosition position(std::uint32_t a) const {
        NumberPosition none_there;
        for (std::uint32_t at = position_slot(a);; at = (at + 1) % position_slots) {
            const Position& p = s.positions[at];
            if (p.attribute == none) return none_there;
            if (p.attribute == a) return {p.lo_end, p.hi_begin};
        }
    }

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
            const LiteralCode code(s.list[i]);
            const std::uint32_t bit = tables.bases[static_cast<unsigned>(code.family())] + code.index();
            for (unsigned uses = tables.uses[bit]; uses != 0; uses &= uses - 1)  // one bit a list
                add_token(static_cast<std::uint32_t>(__ffs(static_cast<int>(uses))) - 1, token_key(code));
        }
        if (tables.grids == nullptr || s.position_count == 0) return;
        for (std::uint32_t i = threadIdx.x; i < 3 * position_slots; i += threads) {
            const Position& p = s.positions[i % position_slots];
            if (p.attribute != none) collect_cells(p, i / position_slots);
        }
    }

    // AccessRows::collect_cells.
    __device__ void collect_cells(const Position& p, std::uint32_t k) {
        const AccessRows::Grid& grid = reinterpret_cast<const AccessRows::Grid*>(tables.grids)[3 * p.attribute + k];
        if (p.lo_end == 0 || grid.levels == 0) return;
        const std::uint32_t list = k == 2 && tables.in_halves && half_of(p.attribute) == 1 ? lists - 1 : k;
        const std::uint32_t first = p.hi_begin / grid.width, last = (p.lo_end - 1) / grid.width;
        for (std::uint32_t levels = grid.levels; levels != 0; levels &= levels - 1) {
            const auto level = static_cast<std::uint32_t>(__ffs(static_cast<int>(levels))) - 1;
            const std::uint32_t least = first >> level;
            for (std::uint32_t c = least == 0 ? 0 : least - 1; c <= last >> level && s.left == 0; ++c)
                add_token(list, token_key(RangeCell{p.attribute, level, c}, k + 1));
        }
    }

    // Look-ups.

    // The last bits decide, as on the host.
    __device__ static std::uint64_t halves_swapped(std::uint64_t hash) { return hash << 32 | hash >> 32; }

    // Tokens of threes, those with the greatest last bits first: the other two of a three give the filter's line, and
    // neighbouring threes share them.
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

    // How many combinations of the event's tokens there are.
    struct Counts {
        std::uint32_t ones, twos, threes;  // of the first half
        std::uint32_t all;
    };
    __device__ Counts count_look_ups() const {
        const auto threes_of = [](std::uint32_t n) { return n < 3 ? 0 : threes_below(n); };
        const std::uint32_t two = s.token_count[1];
        Counts c{s.token_count[0], two < 2 ? 0 : two * (two - 1) / 2, threes_of(s.token_count[2]), 0};
        c.all = c.ones + c.twos + c.threes + threes_of(s.token_count[3]);
        return c;
    }

    __device__ void look_up_all() {
        if (s.left != 0 || tables.buckets == 0) return;
        sort_threes();
        const Counts counts = count_look_ups();
        const bool all = counts.all > tables.buckets;  // then every bucket is looked at
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

    // Look-ups next … next + look_ups_at_once - 1: a thread's reads of the filter are under way together.
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
        if (i < counts.threes) return three(s.tokens + tokens_begin(2), i);
        return three(s.tokens + tokens_begin(3), i - counts.threes);
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
    // The n-th of the threes (0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3), (0, 1, 4) …
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

    // The rows that begin in the piece.
    __device__ void read_piece(const Bucket& b, std::uint32_t at) {
        const std::uint32_t end = min(at + piece_words, b.end);
        if (at > b.begin) {
            const std::uint32_t lane = threadIdx.x % 8, tile = 0xffu << threadIdx.x % 32 / 8 * 8;
            for (;; at += 8) {  // to behind the first end of a row, looking from one word before
                if (at >= end) return;
                const bool is_last =
                    at - 1 + lane < b.end && (tables.records[at - 1 + lane] & LookUpView::last_flag) != 0;
                const std::uint32_t lasts = __ballot_sync(tile, is_last) >> (threadIdx.x % 32 / 8 * 8) & 0xff;
                if (lasts == 0) continue;
                at += static_cast<std::uint32_t>(__ffs(static_cast<int>(lasts))) - 1;
                break;
            }
        }
        if (at < end) read(at, end, b.end);
    }

    // By eight lanes: the rows that begin in begin … end - 1, which is where a row begins; all end before `limit`.
    __device__ void read(std::uint32_t begin, std::uint32_t end, std::uint32_t limit) {
        const std::uint32_t lane = threadIdx.x % 8, shift = threadIdx.x % 32 / 8 * 8, tile = 0xffu << shift;
        const auto ballot = [&](bool p) { return __ballot_sync(tile, p) >> shift & 0xff; };
        std::uint32_t row = begin, target = 0;  // of the row that the words before have left unfinished
        bool within = false, alive = true, pending = false;
        for (std::uint32_t at = begin; at < end || (within && row < end && at < limit); at += 8) {
            const bool there = at + lane < limit;
            const std::uint32_t word = there ? __ldg(&tables.records[at + lane]) : LookUpView::last_flag;
            const std::uint32_t lasts = ballot((word & LookUpView::last_flag) != 0);
            const std::uint32_t starts = (lasts << 1 | (within ? 0 : 1)) & 0xff;
            const std::uint32_t own = starts & ((2u << lane) - 1);  // the last one begins this lane's row
            const int start = own == 0 ? -1 : 31 - __clz(static_cast<int>(own));
            bool waits = false;
            const bool is_literal = there && start != static_cast<int>(lane);
            const bool holds = !is_literal || literal_holds(word & ~LookUpView::last_flag, waits);
            const std::uint32_t fails = ballot(!holds), waiting = ballot(waits);
            const std::uint32_t row_target = __shfl_sync(tile, word, start < 0 ? 0 : start, 8);
            const std::uint32_t from = start < 0 ? 0 : start, mask = ((2u << lane) - 1) & ~((1u << from) - 1);
            const bool good = (fails & mask) == 0 && (start >= 0 || alive);
            const bool wait = (waiting & mask) != 0 || (start < 0 && pending);
            const std::uint32_t begins = start < 0 ? row : at + from;
            const std::uint32_t leads = start < 0 ? target : row_target;
            if (there && is_literal && (word & LookUpView::last_flag) != 0 && good && begins < end)
                report(wait ? begins : leads, wait);
            within = (lasts >> 7) == 0;
            row = __shfl_sync(tile, begins, 7, 8);
            target = __shfl_sync(tile, leads, 7, 8);
            alive = __shfl_sync(tile, good, 7, 8);
            pending = __shfl_sync(tile, wait, 7, 8);
        }
    }

    // `waits`: only the host can say; for now it is taken to hold.
    __device__ bool literal_holds(std::uint32_t bits, bool& waits) const {
        const LiteralCode code(bits);
        bool value = false;
        if (code.is_bit()) {
            value = is_true(code.positive().bits());
            if (code.is_not_equal()) value = !value && is_true(LiteralCode(Family::exists, attribute_of(code)).bits());
        } else if (code.family() == Family::range) {
            value = inside(tables.ranges[code.index()]);
        } else {
            waits = true;
            return true;
        }
        return value != code.negated();
    }

    __device__ std::uint32_t attribute_of(LiteralCode code) const {
        return code.family() == Family::not_equal ? tables.not_equal.entries[code.index()].attribute
                                                  : tables.number_not_equal.entries[code.index()].attribute;
    }

    __device__ bool inside(const RankedRange& r) const { return position(r.attribute).inside(r); }

    // What was found.

    __device__ void report(std::uint32_t target_or_row, bool unfinished) {
        FoundRow row{target_or_row, event | (unfinished ? FoundRow::unfinished : 0u)};
        if (!unfinished && (target_or_row & LookUpView::group_flag) != 0)
            row.row = (target_or_row & ~LookUpView::group_flag) | 0x80000000u;
        const std::uint32_t at = atomicAdd(&s.found_count, 1u);
        if (at < found_room)
            s.found[at] = row;
        else
            put(atomicAdd(&found.counters[0], 1u), row);
    }

    __device__ void put(std::uint32_t at, const FoundRow& row) {
        if (at < found.room) *reinterpret_cast<uint2*>(&found.rows[at]) = {row.row, row.event_and_kind};
    }

    // By all threads, after __syncthreads: writes what has gathered if it is more than `at_most`.
    __device__ void flush(std::uint32_t at_most) {
        const std::uint32_t count = min(s.found_count, found_room);
        if (count <= at_most) return;
        if (threadIdx.x == 0) s.found_base = atomicAdd(&found.counters[0], count);
        __syncthreads();
        for (std::uint32_t i = threadIdx.x; i < count; i += threads) put(s.found_base + i, s.found[i]);
        __syncthreads();
        if (threadIdx.x == 0) s.found_count = 0;
    }

    __device__ void finish() {
        __syncthreads();
        if (threadIdx.x == 0 && s.left != 0) {
            s.found[0] = {0, event | FoundRow::unmatched};
            s.found_count = 1;
        }
        __syncthreads();
        flush(0);
        if (threadIdx.x != 0) return;
        __threadfence();
        if (atomicAdd(&found.counters[1], 1u) + 1 != gridDim.x) return;
        *found.count = atomicExch(&found.counters[0], 0u);
        found.counters[1] = 0;
    }

    const LookUpView& tables;
    const RecordsView& batch;
    const FoundRows& found;
    const ScanView& scan;
    const ScanMemory& memory;
    Shared& s;
    const std::uint32_t event;
};

template <unsigned threads, unsigned blocks>
__global__ void __launch_bounds__(threads, blocks)
    look_up_kernel(const __grid_constant__ LookUpView tables, const __grid_constant__ RecordsView batch,
                   const __grid_constant__ FoundRows found, const __grid_constant__ ScanView scan,
                   const __grid_constant__ ScanMemory memory) {
    __shared__ Shared shared;
    EventMatch<threads>(tables, batch, found, scan, memory, shared).run();
}

}  // namespace

void look_up(const LookUpView& tables, const RecordsView& batch, const FoundRows& found, const ScanView& scan,
             const ScanMemory& scan_memory, cudaStream_t stream) {
    // A large batch fills the device with small blocks; of a small one each event gets as many threads as it can use.
    if (batch.events > small_batch_max)
        look_up_kernel<128, 8><<<batch.events, 128, 0, stream>>>(tables, batch, found, scan, scan_memory);
    else
        look_up_kernel<512, 2><<<batch.events, 512, 0, stream>>>(tables, batch, found, scan, scan_memory);
    check_launch("look_up_kernel");
}

}  // namespace sluice::cuda
