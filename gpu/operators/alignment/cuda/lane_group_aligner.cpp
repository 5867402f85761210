#include "gpu/operators/alignment/cuda/lane_group_aligner.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>

#include "gpu/operators/alignment/cuda/lane_group_kernel.hpp"
#include "gpu/operators/alignment/dispatch.hpp"

namespace sluice::alignment {

namespace {

constexpr std::size_t alignment_bytes = 16;  // of each part of the arena

std::vector<std::uint32_t> begins_of(const SequenceSet& set) {
    std::vector<std::uint32_t> begins(set.size() + 1);
    for (std::size_t i = 0; i < set.size(); ++i) begins[i + 1] = static_cast<std::uint32_t>(begins[i] + set.length(i));
    return begins;
}

// Makes room for `size` elements, and some more for later calls.
template <class Buffer>
void make_room(Buffer& buffer, std::size_t size) {
    if (size > buffer.size()) buffer.reserve(std::bit_ceil(size));
}

// Arrays that are copied to the device together.
class Parts {
public:
    // Returns the offset of the part.
    template <class T>
    std::size_t add(std::span<const T> part) {
        const std::size_t at = bytes_;
        parts_.push_back({part.data(), part.size_bytes(), at});
        bytes_ = (at + part.size_bytes() + alignment_bytes - 1) / alignment_bytes * alignment_bytes;
        return at;
    }
    std::size_t bytes() const { return bytes_; }
    void write(char* to) const {
        for (const Part& part : parts_) {
            if (part.bytes > 0) std::memcpy(to + part.at, part.data, part.bytes);
        }
    }

private:
    struct Part {
        const void* data;
        std::size_t bytes, at;
    };
    std::vector<Part> parts_;
    std::size_t bytes_ = 0;
};

}  // namespace

LaneGroupAligner::LaneGroupAligner(const Scheme& scheme) : scheme_(scheme) {
    std::vector<std::int16_t> matrix(codes_max * codes_max);
    for (std::size_t x = 0; x < codes_max; ++x)
        std::copy(scheme.scores[x].begin(), scheme.scores[x].end(), matrix.begin() + static_cast<long>(x * codes_max));
    cuda::upload<std::int16_t>(matrix_, matrix);
    int device = 0, count = 0;
    cuda::check(cudaGetDevice(&device), "cudaGetDevice");
    cuda::check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device), "cudaDeviceGetAttribute");
    multiprocessors_ = static_cast<unsigned>(count);
}

void LaneGroupAligner::set_queries(const SequenceSet& queries) {
    queries_ = queries;
    cuda::upload(query_codes_, queries.codes());
    cuda::upload<std::uint32_t>(query_begins_, begins_of(queries));
    std::vector<std::uint32_t> by_length(queries.size());
    std::iota(by_length.begin(), by_length.end(), 0);
    std::stable_sort(by_length.begin(), by_length.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return queries.length(a) > queries.length(b); });
    ranks_.resize(queries.size());
    for (std::uint32_t rank = 0; rank < by_length.size(); ++rank) ranks_[by_length[rank]] = rank;
}

// Copies everything that the call needs to the device in one piece, through page-locked memory.
void LaneGroupAligner::load(Mode mode, const SequenceSet& texts, std::span<const Pair> pairs, bool wide,
                            std::span<const std::int32_t> thresholds) {
    const LaneGroupPlan plan(scheme_, mode, queries_, ranks_, texts, pairs, wide);
    const std::vector<std::uint32_t> begins = begins_of(texts);
    mode_ = mode;
    cells_ = plan.cells;
    Parts parts;
    const std::size_t thresholds_at = parts.add(thresholds), codes_at = parts.add(texts.codes());
    const std::size_t begins_at = parts.add(std::span(begins)), items_at = parts.add(std::span(plan.items));
    std::vector<std::size_t> chunks_at;
    for (const auto& launch : plan.launches) chunks_at.push_back(parts.add(std::span(launch.chunks)));
    const std::vector<unsigned> tickets(plan.launches.size());
    const std::size_t tickets_at = parts.add(std::span(tickets));

    make_room(staged_, parts.bytes());
    make_room(arena_, parts.bytes());
    make_room(scores_, pairs.size());
    parts.write(staged_.data());
    cuda::copy_to_device(arena_.data(), std::span<const char>(staged_.data(), parts.bytes()), stream_);
    const auto arena = [&](std::size_t offset) { return arena_.data() + offset; };
    thresholds_ = thresholds.empty() ? nullptr : reinterpret_cast<const std::int32_t*>(arena(thresholds_at));
    text_codes_ = reinterpret_cast<const Code*>(arena(codes_at));
    text_begins_ = reinterpret_cast<const std::uint32_t*>(arena(begins_at));
    items_ = reinterpret_cast<const LaneGroupItem*>(arena(items_at));
    tickets_ = reinterpret_cast<unsigned*>(arena(tickets_at));
    launches_.clear();
    std::size_t border = 0;
    for (std::size_t l = 0; l < plan.launches.size(); ++l) {
        const auto& [shape, chunks] = plan.launches[l];
        launches_.push_back({shape, reinterpret_cast<const LaneGroupChunk*>(arena(chunks_at[l])),
                             static_cast<unsigned>(chunks.size()), chunks.front().rows});
        std::size_t longest = 0;
        for (const auto& chunk : chunks) longest = std::max(longest, texts.length(chunk.text));
        const std::size_t groups = lane_group_threads / shape.group;
        if (longest > shape.width())
            border = std::max(border, std::size_t{2} * multiprocessors_ * groups * launches_.back().rows);
    }
    borders_.reserve(border);
}

void LaneGroupAligner::prepare(Mode mode, const SequenceSet& texts, std::span<const Pair> pairs, bool wide,
                               std::span<const std::int32_t> thresholds) {
    load(mode, texts, pairs, wide, thresholds);
    stream_.wait();
}

void LaneGroupAligner::enqueue(cudaStream_t stream) {
    const bool dna = scheme_.alphabet == Scheme::Alphabet::dna;
    if (!launches_.empty())
        cuda::check(cudaMemsetAsync(tickets_, 0, launches_.size() * sizeof(unsigned), stream), "cudaMemsetAsync");
    unsigned* ticket = tickets_;
    for (const auto& launch : launches_) {
        const LaneGroupArguments arguments{launch.chunks,
                                           items_,
                                           query_codes_.data(),
                                           text_codes_,
                                           query_begins_.data(),
                                           text_begins_,
                                           matrix_.data(),
                                           borders_.data(),
                                           scores_.data(),
                                           ticket++,
                                           launch.count,
                                           launch.rows,
                                           static_cast<unsigned>(scheme_.letters),
                                           scheme_.gap_first,
                                           scheme_.gap_further,
                                           1,
                                           65536,
                                           dna ? Code{4} : Code{22},  // N, X: no positive score with anything
                                           thresholds_,
                                           scheme_.highest};
        launch_lane_groups(launch.shape, mode_, dna, arguments, std::min(launch.count, 2 * multiprocessors_), stream);
    }
}

// The scores remain valid until the next call.
std::span<const std::int32_t> LaneGroupAligner::run(Mode mode, const SequenceSet& texts, std::span<const Pair> pairs,
                                                    bool wide, std::span<const std::int32_t> thresholds) {
    if (pairs.empty()) return {};
    load(mode, texts, pairs, wide, thresholds);
    enqueue(stream_);
    make_room(answers_, pairs.size());
    const std::span<std::int32_t> answers(answers_.data(), pairs.size());
    cuda::copy_to_host(answers, scores_.data(), stream_);
    stream_.wait();
    return answers;
}

void LaneGroupAligner::align(Mode mode, const SequenceSet& texts, std::span<const Pair> pairs,
                             std::span<std::int32_t> scores) {
    const auto narrow = run(mode, texts, pairs, false, {});
    std::copy(narrow.begin(), narrow.end(), scores.begin());
    std::vector<std::uint32_t> again;
    std::vector<Pair> pairs_again;
    for (std::uint32_t k = 0; k < pairs.size(); ++k) {
        if (scores[k] != exceeded) continue;
        again.push_back(k);
        pairs_again.push_back(pairs[k]);
    }
    const auto wide = run(mode, texts, pairs_again, true, {});
    for (std::size_t i = 0; i < again.size(); ++i) scores[again[i]] = wide[i];
}

void LaneGroupAligner::reaches(Mode mode, const SequenceSet& texts, std::span<const Pair> pairs,
                               std::span<const std::int32_t> thresholds, std::span<std::uint8_t> hits) {
    std::vector<std::uint32_t> todo;
    todo.reserve(pairs.size());
    for (std::uint32_t k = 0; k < pairs.size(); ++k) {
        const auto known = reaches_by_lengths(scheme_, mode, queries_.length(pairs[k].query),
                                              texts.length(pairs[k].text), thresholds[k]);
        hits[k] = known.value_or(false);
        if (!known) todo.push_back(k);
    }
    std::vector<Pair> some;
    std::vector<std::int32_t> needed;
    for (const bool wide : {false, true}) {
        const bool all = todo.size() == pairs.size();
        some.clear();
        needed.clear();
        for (std::size_t i = 0; i < todo.size() && !all; ++i) {
            some.push_back(pairs[todo[i]]);
            needed.push_back(thresholds[todo[i]]);
        }
        const auto scores = run(mode, texts, all ? pairs : some, wide, all ? thresholds : needed);
        std::size_t again = 0;
        for (std::size_t i = 0; i < todo.size(); ++i) {
            const std::uint32_t k = todo[i];
            hits[k] = scores[i] != exceeded && scores[i] >= thresholds[k];
            if (scores[i] == exceeded) todo[again++] = k;
        }
        todo.resize(again);
    }
}

std::size_t LaneGroupAligner::device_bytes() const {
    return query_codes_.bytes() + query_begins_.bytes() + matrix_.bytes() + arena_.bytes() + borders_.bytes() +
           scores_.bytes();
}

}  // namespace sluice::alignment
