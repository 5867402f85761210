// A batch under way on a device: its stream, and the memory that it is packed into and that what is found of it comes
// back to. Used by one thread at a time, on the device that it was made on.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "gpu/cuda/device.hpp"
#include "gpu/cuda/event_records.hpp"
#include "gpu/cuda/graph.hpp"
#include "gpu/cuda/look_up.hpp"
#include "gpu/cuda/scan_tables.hpp"

namespace sluice::cuda {

// What a segment's copy consists of.
struct SegmentTables {
    LookUpTables look_up;
    ScanTables scan;
    const std::uint64_t id = next_id++;  // no other one has it, nor ever had

    inline static std::atomic<std::uint64_t> next_id = 0;

    SegmentTables(const Segment& segment, MemoryPool& memory, Uploader& uploader)
        : look_up(segment, memory, uploader), scan(segment, memory, uploader) {}
};

class BatchSlot {
public:
    // Batches of so many bytes, times the segments that are asked, are read by the kernels from where the host has
    // packed them: sooner done than a copy is begun. Others are copied first.
    static constexpr std::size_t in_place_bytes_max = 64u << 10;
    // What takes several kernels is launched as a graph where it has up to so many events, or a multiple of 32, as full
    // batches have.
    static constexpr std::size_t small_events_max = 128;

    // What takes several kernels: launched one by one; as a graph, if the batch is small; and with the segments'
    // kernels side by side, since each segment has memory of its own. The first two are for measurements.
    enum class Launch : std::uint8_t { one_by_one, graph, side_by_side };
    explicit BatchSlot(Launch launch = Launch::side_by_side);

    // Packs the batch and enqueues its matching with each of the segments' tables, which must live until wait().
    void begin(const EventBatch& batch, std::span<const SegmentTables* const> segments);
    // Waits until all is done, makes room and matches again where there was too little of it.
    void wait();
    // What segment i has found, until the next begin().
    std::span<const FoundRow> found(std::size_t i) const;
    // And of its scanned rows; nothing if they are still to be matched, since an event was too much for the device.
    std::optional<std::span<const ScanHit>> scan_hits(std::size_t i);
    // Waits for what may still be under way, whatever came of it.
    void abandon() noexcept;

    struct Timing {
        double seconds;
        std::size_t events;
    };
    // Whether the last batch cost what batches do: nothing had to be made for it that later ones have, too.
    bool was_usual() const { return memory_ == memory_before_ && !made_graph_; }
    // Of the last batch, if it was one of those that are measured: what the device took for its kernels.
    std::optional<Timing> timing() const;

private:
    struct Found {
        PinnedBuffer<FoundRow> rows;
        PinnedBuffer<std::uint32_t> count{1};
        DeviceBuffer<std::uint32_t> counters{2};
        // Of the scanned rows.
        DeviceBuffer<std::uint32_t> masks;
        DeviceBuffer<NumberPosition> positions;
        DeviceBuffer<std::uint32_t> device_hit_count{1};
        PinnedBuffer<Hit> hits;
        PinnedBuffer<std::uint32_t> hit_count{1};
        std::vector<ScanHit> scan_hits;
    };
    static constexpr std::size_t rows_min = 8192;
    static constexpr std::uint32_t measure_every = 16;
    static constexpr std::size_t spin_events_max = 128;  // for larger batches the thread sleeps until they are done

    struct KeptGraph {
        bool asked_for = false;  // a size that comes once is not worth making it
        Graph graph;
    };

    void plan();
    void pack_batch(const EventBatch& batch);
    void copy_batch();
    template <class Buffer>
    void make_room(Buffer& buffer, std::size_t size);
    void reserve(std::size_t i);
    void enqueue(std::size_t i, cudaStream_t stream);
    void enqueue_all();
    void enqueue_side_by_side();
    void launch();
    KeptGraph* kept_graph();

    Stream stream_;
    Event done_;
    Event kernels_begin_{cudaEventDefault}, kernels_end_{cudaEventDefault};
    bool under_way_ = false, measured_ = false;
    std::uint32_t batches_ = 0;

    std::vector<const SegmentTables*> segments_;
    PackPlan plan_;
    std::vector<std::uint64_t> planned_;  // the segments that it is for
    PinnedBuffer<std::byte> records_;     // first, then records
    PinnedBuffer<std::uint64_t> text_;
    DeviceBuffer<std::byte> device_records_;
    DeviceBuffer<std::uint64_t> device_text_;
    PackedSize size_;
    RecordsView view_{};
    bool in_place_ = false;
    std::vector<Found> found_;

    // For each segment but the first, a stream beside stream_.
    struct Branch {
        Stream stream;
        Event joined;
    };
    std::vector<Branch> branches_;
    Event forked_;

    const Launch launch_;
    // By in_place_ and events, those above small_events_max by 32; of these segments and this memory:
    static constexpr std::size_t sizes = small_events_max + (EventBatch::events_max - small_events_max) / 32 + 1;
    std::array<std::array<KeptGraph, sizes>, 2> kept_;
    std::vector<std::uint64_t> kept_segments_;
    std::uint64_t memory_ = 0, kept_memory_ = 0;  // how often some buffer has moved
    std::uint64_t memory_before_ = 0;             // the last batch
    bool made_graph_ = false;                     // for it
};

}  // namespace sluice::cuda
