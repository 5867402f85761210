// A batch under way on a device: its stream, and the memory for the packed batch and the results. Used by one thread at
// a time, on the device that it was made on.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "gpu/cuda/access_match.hpp"
#include "gpu/cuda/batch_limits.hpp"
#include "gpu/cuda/clusters/cluster_tables.hpp"
#include "gpu/cuda/event_records.hpp"
#include "gpu/device/device.hpp"
#include "gpu/device/graph.hpp"

namespace sluice::cuda {

// The parts of a segment's copy on a device.
struct SegmentTables {
    AccessTables access;
    ClusterTables clusters;
    const std::uint64_t id = next_id++;  // unique in the process

    inline static std::atomic<std::uint64_t> next_id = 0;

    SegmentTables(const cpu::Segment& segment, MemoryPool& memory, Uploader& uploader)
        : access(segment, memory, uploader), clusters(segment, memory, uploader) {}
};

class BatchSlot {
public:
    // The kernels read batches of up to this many bytes, times the number of segments, from where the host has packed
    // them: faster than a copy. Larger batches are copied first.
    static constexpr std::size_t in_place_bytes_max = 64u << 10;
    // Several kernels are launched as a graph if the batch has up to this many events, or a multiple of 32, as full
    // batches have.
    static constexpr std::size_t small_events_max = 128;

    // How several kernels are launched: one by one; as a graph, if the batch is small; or with the segments' kernels
    // side by side, since each segment has its own memory. The first two are for measurements.
    enum class Launch : std::uint8_t { one_by_one, graph, side_by_side };
    explicit BatchSlot(Launch launch = Launch::side_by_side);

    // Packs the batch and enqueues its matching with each of the segments' tables, which must live until wait(). Throws
    // CudaError or BeyondLimit, as wait() does.
    void begin(const engine::EventBatch& batch, std::span<const SegmentTables* const> segments,
               const BatchLimits& limits = {});
    // Waits until all is done; where a result did not fit, makes room and matches again.
    void wait();
    // The rows that segment i has found; valid until the next begin().
    std::span<const cpu::FoundRow> found(std::size_t i) const;
    // The hits of its cluster rows. Empty optional if the cluster rows must still be matched, since an event exceeded
    // the device's limits.
    std::optional<std::span<const cpu::ClusterHit>> cluster_hits(std::size_t i);
    // Waits for any work still under way, and ignores its results. Returns false if the work does not end in time: then
    // the slot must not be used again.
    bool abandon() noexcept;

    struct Timing {
        double seconds;
        std::size_t events;
    };
    // Whether the last batch had the usual cost: it made nothing (buffers, graphs) that later batches reuse.
    bool was_usual() const { return memory_ == memory_before_ && !made_graph_; }
    // The device time of the last batch's kernels, if that batch was measured.
    std::optional<Timing> timing() const;

private:
    struct Found {
        PinnedBuffer<cpu::FoundRow> rows;
        PinnedBuffer<std::uint64_t> count{1};
        DeviceBuffer<unsigned long long> counters{2};
        // For the cluster rows.
        DeviceBuffer<std::uint32_t> masks;
        DeviceBuffer<engine::NumberPosition> positions;
        DeviceBuffer<std::uint32_t> device_hit_count{1};
        PinnedBuffer<Hit> hits;
        PinnedBuffer<std::uint32_t> hit_count{1};
        std::vector<cpu::ClusterHit> cluster_hits;
    };
    static constexpr std::size_t rows_min = 8192;
    // A batch of at least two such parts is packed, copied and matched part by part, since packing takes longest. Fewer
    // events would not fill a device.
    static constexpr PartSize part_min{128, (std::size_t{2} << 20) / sizeof(std::uint64_t)};
    static constexpr std::uint32_t measure_every = 16;
    static constexpr std::size_t spin_events_max = 128;  // for larger batches the thread sleeps instead of spinning

    struct KeptGraph {
        bool asked_for = false;  // a graph is not worth making for a size that comes once
        Graph graph;
    };

    void plan();
    PackedBatch make_room_for(const engine::EventBatch& batch, const PackedSize& bound);
    void copy_batch();
    void match_in_parts(const engine::EventBatch& batch, PackedBatch to);
    template <class Buffer>
    void make_room(Buffer& buffer, std::size_t size);
    template <class Buffer>
    bool make_room_for_found(Buffer& buffer, std::size_t count);
    void reserve(std::size_t i);
    void enqueue(std::size_t i, cudaStream_t stream);
    void enqueue_all();
    void enqueue_side_by_side();
    void launch();
    KeptGraph* kept_graph();
    bool may_have_ended() const;
    std::size_t found_bytes() const;

    Stream stream_;
    Event done_;
    Event kernels_begin_{cudaEventDefault}, kernels_end_{cudaEventDefault};
    bool under_way_ = false, measured_ = false;
    std::uint32_t batches_ = 0;

    std::vector<const SegmentTables*> segments_;
    PackPlan plan_;
    std::vector<std::uint64_t> planned_;  // the segments that plan_ is for
    PinnedBuffer<std::byte> records_;     // first, then records
    PinnedBuffer<std::uint64_t> text_;
    DeviceBuffer<std::byte> device_records_;
    DeviceBuffer<std::uint64_t> device_text_;
    PackedSize size_;
    BatchLimits limits_;
    RecordsView view_{};
    bool in_place_ = false;
    std::vector<Found> found_;

    // A stream beside stream_, for each segment but the first.
    struct Branch {
        Stream stream;
        Event joined;
    };
    std::vector<Branch> branches_;
    Event forked_;

    const Launch launch_;
    // By in_place_ and number of events (above small_events_max, by 32); valid for kept_segments_ and kept_memory_.
    static constexpr std::size_t sizes =
        small_events_max + (engine::EventBatch::events_max - small_events_max) / 32 + 1;
    std::array<std::array<KeptGraph, sizes>, 2> kept_;
    std::vector<std::uint64_t> kept_segments_;
    std::uint64_t memory_ = 0, kept_memory_ = 0;  // how often a buffer has moved
    std::uint64_t memory_before_ = 0;             // at the last batch
    bool made_graph_ = false;                     // for the last batch
};

}  // namespace sluice::cuda
