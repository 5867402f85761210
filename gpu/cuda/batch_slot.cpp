#include "gpu/cuda/batch_slot.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

namespace sluice::cuda {

namespace {

// The offset of the records, behind `first`.
std::size_t records_offset(std::size_t events) { return ((events + 1) * sizeof(std::uint32_t) + 15) / 16 * 16; }

// In the place of a count that the device has not written yet.
template <class T>
constexpr T unwritten = static_cast<T>(-1);

// The device writes counts while the host polls them.
template <class T>
bool is_written(T& count) {
    return std::atomic_ref(count).load(std::memory_order_relaxed) != unwritten<T>;
}

bool are(std::span<const SegmentTables* const> segments, std::span<const std::uint64_t> ids) {
    return std::equal(segments.begin(), segments.end(), ids.begin(), ids.end(),
                      [](const SegmentTables* segment, std::uint64_t id) { return segment->id == id; });
}

}  // namespace

BatchSlot::BatchSlot(Launch launch) : launch_(launch) {}

template <class Buffer>
void BatchSlot::make_room(Buffer& buffer, std::size_t size) {
    if (buffer.size() >= size) return;
    ++memory_;
    buffer = Buffer();  // freed first: there may not be room for both
    buffer = Buffer(std::max<std::size_t>(1024, size + size / 4));
}

void BatchSlot::plan() {
    if (are(segments_, planned_)) return;
    std::vector<std::span<const AttributeNeeds>> needs;
    planned_.clear();  // so that no old plan passes for current if memory for the next one is lacking
    planned_.reserve(segments_.size());
    for (const SegmentTables* segment : segments_) needs.push_back(segment->access.needs());
    plan_ = PackPlan(needs);
    for (const SegmentTables* segment : segments_) planned_.push_back(segment->id);
}

PackedBatch BatchSlot::make_room_for(const engine::EventBatch& batch, const PackedSize& bound) {
    const std::size_t offset = records_offset(batch.size());
    make_room(records_, offset + bound.records * sizeof(EventRecord));
    make_room(text_, bound.text_words + 1);
    auto* const first = reinterpret_cast<std::uint32_t*>(records_.data());
    auto* const records = reinterpret_cast<EventRecord*>(records_.data() + offset);
    const auto events = static_cast<std::uint32_t>(batch.size());
    view_ = {first, records, text_.data(), events, 0, events};
    return {first, records, text_.data()};
}

void BatchSlot::copy_batch() {
    const std::size_t offset = records_offset(view_.events), bytes = offset + size_.records * sizeof(EventRecord);
    in_place_ = segments_.size() * (bytes + 8 * size_.text_words) <= in_place_bytes_max;
    if (in_place_) return count_to_device(bytes + size_.text_words * sizeof(std::uint64_t));
    make_room(device_records_, bytes);
    make_room(device_text_, size_.text_words + 2);
    copy_from_pinned(device_records_.data(), std::span<const std::byte>(records_.data(), bytes), stream_);
    copy_from_pinned(device_text_.data(), std::span<const std::uint64_t>(text_.data(), size_.text_words), stream_);
    view_.first = reinterpret_cast<const std::uint32_t*>(device_records_.data());
    view_.records = reinterpret_cast<const EventRecord*>(device_records_.data() + offset);
    view_.text = device_text_.data();
}

// Enqueues the part of the batch that view_ names.
void BatchSlot::enqueue(std::size_t i, cudaStream_t stream) {
    Found& f = found_[i];
    const SegmentTables& segment = *segments_[i];
    const FoundRows found{f.rows.data(), f.rows.size(), f.count.data(), f.counters.data()};
    if (segment.clusters.empty()) return match_access_rows(segment.access.view(), view_, found, {}, {}, stream);
    const ClusterMemory memory{f.masks.data(), f.positions.data()};
    const HitList hits{f.hits.data(), static_cast<std::uint32_t>(f.hits.size()), f.device_hit_count.data()};
    if (view_.part_begin == 0) segment.clusters.begin(view_.events, memory, hits.count, stream);
    match_access_rows(segment.access.view(), view_, found, segment.clusters.view(), memory, stream);
    if (view_.part_begin + view_.part_events < view_.events) return;
    segment.clusters.finish(view_.events, memory, hits, stream);
    copy_to_pinned<std::uint32_t>(std::span(f.hit_count.data(), 1), hits.count, stream);
}

// Copies and matches each part of the text while the next one is packed. The kernels read the records, which are small
// beside the text, from where they are packed.
void BatchSlot::match_in_parts(const engine::EventBatch& batch, PackedBatch to) {
    make_room(device_text_, text_.size() + 1);
    to.is_streamed = true;
    view_.text = device_text_.data();
    size_ = {};
    for (std::size_t begin = 0, end = 0; begin < batch.size(); begin = end) {
        const std::size_t copied = size_.text_words;
        end = pack_part(batch, plan_, to, begin, part_min, size_);
        copy_from_pinned(device_text_.data() + copied,
                         std::span<const std::uint64_t>(text_.data() + copied, size_.text_words - copied), stream_);
        view_.part_begin = static_cast<std::uint32_t>(begin);
        view_.part_events = static_cast<std::uint32_t>(end - begin);
        for (std::size_t i = 0; i < segments_.size(); ++i) enqueue(i, stream_);
    }
    view_.part_begin = 0;
    view_.part_events = view_.events;
    count_to_device(records_offset(view_.events) + size_.records * sizeof(EventRecord));
}

void BatchSlot::enqueue_all() {
    if (launch_ == Launch::side_by_side && segments_.size() > 1) return enqueue_side_by_side();
    for (std::size_t i = 0; i < segments_.size(); ++i) enqueue(i, stream_);
}

void BatchSlot::enqueue_side_by_side() {
    forked_.record(stream_);
    for (std::size_t i = 1; i < segments_.size(); ++i) {
        const Branch& branch = branches_[i - 1];
        check(cudaStreamWaitEvent(branch.stream, forked_, 0), "cudaStreamWaitEvent");
        enqueue(i, branch.stream);
        branch.joined.record(branch.stream);
    }
    enqueue(0, stream_);
    for (std::size_t i = 1; i < segments_.size(); ++i)
        check(cudaStreamWaitEvent(stream_, branches_[i - 1].joined, 0), "cudaStreamWaitEvent");
}

// The place of this batch's graph, or null if it is not worth one.
BatchSlot::KeptGraph* BatchSlot::kept_graph() {
    const bool one_kernel = segments_.size() == 1 && segments_[0]->clusters.empty();
    if (launch_ == Launch::one_by_one || one_kernel) return nullptr;
    auto& kept = kept_[in_place_ ? 1 : 0];
    if (view_.events <= small_events_max) return &kept[view_.events];
    if (view_.events % 32 != 0) return nullptr;
    return &kept[small_events_max + (view_.events - small_events_max) / 32];
}

void BatchSlot::launch() {
    KeptGraph* const kept = kept_graph();
    if (kept == nullptr) return enqueue_all();
    if (kept_memory_ != memory_ || !are(segments_, kept_segments_)) {
        kept_ = {};
        kept_memory_ = memory_;
        kept_segments_ = planned_;
    }
    if (!std::exchange(kept->asked_for, true)) return enqueue_all();
    if (!kept->graph) {
        kept->graph = Graph(stream_, [this] { enqueue_all(); });
        made_graph_ = true;
    }
    kept->graph.launch(stream_);
}

// Returns whether all was found: there was room before. Too little memory is a limit, too.
template <class Buffer>
bool BatchSlot::make_room_for_found(Buffer& buffer, std::size_t count) {
    limits_.check_found(count);
    if (count <= buffer.size()) return true;
    try {
        make_room(buffer, count);
    } catch (const CudaError& error) {
        if (!error.out_of_memory()) throw;
        cudaGetLastError();
        throw BeyondLimit(error.what());
    }
    return false;
}

void BatchSlot::reserve(std::size_t i) {
    Found& f = found_[i];
    const ClusterTables& clusters = segments_[i]->clusters;
    make_room(f.rows, rows_min);
    if (clusters.empty()) return;
    make_room(f.masks, clusters.mask_words((view_.events + 31) / 32));
    make_room(f.positions, clusters.positions());
    make_room(f.hits, rows_min);
}

void BatchSlot::begin(const engine::EventBatch& batch, std::span<const SegmentTables* const> segments,
                      const BatchLimits& limits) {
    memory_before_ = memory_;
    made_graph_ = false;
    segments_.assign(segments.begin(), segments.end());
    limits_ = limits;
    plan();
    const PackedSize bound = packed_bound(batch, plan_);
    limits_.check_packed(bound);
    const PackedBatch to = make_room_for(batch, bound);
    const bool in_parts = bound.text_words >= 2 * part_min.text_words && batch.size() >= 2 * part_min.events;
    while (found_.size() < segments.size()) {
        Found f;
        check(cudaMemsetAsync(f.counters.data(), 0, f.counters.bytes(), stream_), "cudaMemsetAsync");
        found_.push_back(std::move(f));
        ++memory_;
    }
    for (std::size_t i = 0; i < segments.size(); ++i) reserve(i);
    while (branches_.size() + 1 < segments.size()) branches_.emplace_back();
    for (std::size_t i = 0; i < segments.size(); ++i) {
        found_[i].count[0] = unwritten<std::uint64_t>;
        found_[i].hit_count[0] = unwritten<std::uint32_t>;
    }
    under_way_ = true;
    if (!in_parts) {
        size_ = pack(batch, plan_, to);
        copy_batch();
    }
    measured_ = !in_parts && batches_++ % measure_every == measure_every - 1;
    if (measured_) kernels_begin_.record(stream_);
    in_parts ? match_in_parts(batch, to) : launch();
    if (measured_) kernels_end_.record(stream_);
    if (batch.size() > spin_events_max) done_.record(stream_);
}

bool BatchSlot::may_have_ended() const {
    for (std::size_t i = 0; i < segments_.size(); ++i) {
        const Found& f = found_[i];
        if (!is_written(f.count[0]) || (!segments_[i]->clusters.empty() && !is_written(f.hit_count[0]))) return false;
    }
    return true;
}

void BatchSlot::wait() {
    if (view_.events > spin_events_max)
        wait_asleep(done_, stream_);
    else
        wait_spinning(stream_, [this] { return may_have_ended(); });
    under_way_ = false;
    std::vector<std::size_t> incomplete;
    for (std::size_t i = 0; i < segments_.size(); ++i) {
        Found& f = found_[i];
        bool is_complete = make_room_for_found(f.rows, f.count[0]);
        if (!segments_[i]->clusters.empty()) is_complete &= make_room_for_found(f.hits, f.hit_count[0]);
        if (!is_complete) incomplete.push_back(i);
    }
    if (!incomplete.empty()) {
        under_way_ = true;
        for (const std::size_t i : incomplete) enqueue(i, stream_);
        stream_.wait();
        under_way_ = false;
    }
    count_to_host(found_bytes());
}

// The size of what the kernels have written to the host's memory.
std::size_t BatchSlot::found_bytes() const {
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < segments_.size(); ++i) {
        const Found& f = found_[i];
        bytes += f.count.bytes() + f.count[0] * sizeof(cpu::FoundRow);
        if (!segments_[i]->clusters.empty()) bytes += f.hit_count[0] * sizeof(Hit);
    }
    return bytes;
}

std::span<const cpu::FoundRow> BatchSlot::found(std::size_t i) const {
    return {found_[i].rows.data(), found_[i].count[0]};
}

std::optional<std::span<const cpu::ClusterHit>> BatchSlot::cluster_hits(std::size_t i) {
    Found& f = found_[i];
    f.cluster_hits.clear();
    if (segments_[i]->clusters.empty()) return f.cluster_hits;
    const auto rows = found(i);
    if (std::any_of(rows.begin(), rows.end(),
                    [](const cpu::FoundRow& row) { return (row.event_and_kind & cpu::FoundRow::unmatched) != 0; }))
        return std::nullopt;
    for (const Hit& hit : std::span(f.hits.data(), f.hit_count[0]))
        f.cluster_hits.push_back({hit.target(), hit.word(), hit.events});
    return f.cluster_hits;
}

bool BatchSlot::abandon() noexcept {
    if (!under_way_) return true;
    bool has_ended = drain(stream_);
    for (const Branch& branch : branches_) has_ended &= drain(branch.stream);  // which may not have been joined yet
    under_way_ = false;
    found_.clear();  // their counters are undefined
    ++memory_;
    return has_ended;
}

std::optional<BatchSlot::Timing> BatchSlot::timing() const {
    if (!measured_) return std::nullopt;
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, kernels_begin_, kernels_end_), "cudaEventElapsedTime");
    return Timing{1e-3 * static_cast<double>(milliseconds), view_.events};
}

}  // namespace sluice::cuda
