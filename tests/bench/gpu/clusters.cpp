// bench_clusters: masks and clusters on the device, next to the kernels of the paper that the project implements, on
// the paper's workload. Prints one JSON object per line. The time is from the packed batch on the device to the compact
// list of hits on the device (ours: two kernels), or to a word for each subscription (the paper's: eight kernels),
// replayed as a graph, median of many:
//   chain_us      20 batches in sequence in one graph, divided by 20: the device time per batch
//   us            one batch per graph: includes the launch of a graph and the gap to the next, 5 us for empty kernels
//   in_flight_us  three such chains side by side in one graph, divided by the 60 batches
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "gpu/cuda/clusters/cluster_match.hpp"
#include "tests/bench/baselines/live_rows.hpp"
#include "tests/bench/baselines/mask_tables.hpp"
#include "tests/bench/baselines/version_gate.hpp"
#include "tests/bench/gpu/cluster_workload.hpp"
#include "tests/bench/gpu/graph_timer.hpp"
#include "tests/bench/gpu/paper_kernels.hpp"

namespace sluice::bench {

namespace {

using Clock = std::chrono::steady_clock;

double microseconds_since(Clock::time_point begin) {
    return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
}

template <class T>
std::vector<T> from_device(const T* data, std::size_t size) {
    std::vector<T> host(size);
    cuda::check(cudaMemcpy(host.data(), data, size * sizeof(T), cudaMemcpyDeviceToHost), "copy to host");
    return host;
}

constexpr int chain_batches = 20;

// Our structures and everything else that a match needs, on the device.
class Ours {
public:
    static constexpr std::size_t slots = 3;  // batches that can be under way

    explicit Ours(const ClusterWorkload& workload, std::uint32_t spare_rows = 0)
        : tables_(workload.mask_tables()),
          rows_(workload.rows(), tables_.literals(), spare_rows),
          layout_(workload.batch, ClusterWorkload::attributes) {
        std::vector<std::uint64_t> packed(layout_.bytes / 8 + 1);
        pack(workload.batch, layout_, reinterpret_cast<std::byte*>(packed.data()));
        batch_ = cuda::to_device(std::span<const std::uint64_t>(packed));
        for (std::size_t i = 0; i < (layout_.words == 1 ? slots : 1); ++i) {
            slots_.push_back({{cuda::DeviceBuffer<std::uint32_t>(tables_.mask_words(layout_.words)),
                               cuda::DeviceBuffer<std::uint32_t>(tables_.mask_words(layout_.words))},
                              cuda::DeviceBuffer<cuda::Hit>((workload.row_sizes.size() + 10000) * layout_.words),
                              cuda::DeviceBuffer<std::uint32_t>(1)});
            cuda::check(cudaMemset(slots_[i].hits.data(), 0xee, slots_[i].hits.bytes()), "cudaMemset");
        }
        view_ = layout_.view(reinterpret_cast<const std::byte*>(batch_.data()));
    }

    void enqueue_masks(cudaStream_t stream, bool overlap = true, std::size_t slot = 0, int turn = 0) const {
        evaluate_masks(tables_, view_, masks(slot, turn), slots_[slot].count.data(), stream, overlap);
    }
    // `turn`: the number of the batch in its stream's sequence.
    void enqueue(cudaStream_t stream, const cuda::MatchTuning& tuning = {}, std::size_t slot = 0, int turn = 0) const {
        enqueue_masks(stream, tuning.overlap_masks, slot, turn);
        const Slot& s = slots_[slot];
        const cuda::HitList list{s.hits.data(), static_cast<std::uint32_t>(s.hits.size()), s.count.data()};
        cuda::match_clusters(rows_.view(), masks(slot, turn), view_.words, list, stream, tuning);
    }
    void enqueue_chain(cudaStream_t stream, const cuda::MatchTuning& tuning = {}) const {
        for (int i = 0; i < chain_batches; ++i) enqueue(stream, tuning, 0, i);
    }
    // In `stream` and two more.
    void enqueue_in_flight(cudaStream_t stream, const cuda::MatchTuning& tuning = {}) const {
        fork_.record(stream);
        for (std::size_t slot = 0; slot < slots; ++slot) {
            const cudaStream_t of_slot = slot == 0 ? stream : static_cast<cudaStream_t>(streams_[slot]);
            if (slot != 0) cuda::check(cudaStreamWaitEvent(of_slot, fork_, 0), "cudaStreamWaitEvent");
            for (int i = 0; i < chain_batches; ++i) enqueue(of_slot, tuning, slot, i);
            if (slot == 0) continue;
            joins_[slot].record(of_slot);
            cuda::check(cudaStreamWaitEvent(stream, joins_[slot], 0), "cudaStreamWaitEvent");
        }
    }

    std::vector<cuda::Hit> hits(std::size_t slot = 0) const {
        return from_device(slots_[slot].hits.data(), std::min<std::size_t>(count(slot), slots_[slot].hits.size()));
    }
    std::uint32_t count(std::size_t slot = 0) const { return from_device(slots_[slot].count.data(), 1)[0]; }
    void forget_hits() const {
        for (const Slot& s : slots_) cuda::check(cudaMemset(s.hits.data(), 0xee, s.hits.bytes()), "cudaMemset");
        cuda::check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");  // streams that don't block would not wait
    }
    std::size_t slots_made() const { return slots_.size(); }
    LiveRows& rows() { return rows_; }

private:
    struct Slot {
        cuda::DeviceBuffer<std::uint32_t> masks[2];  // used alternately
        cuda::DeviceBuffer<cuda::Hit> hits;
        cuda::DeviceBuffer<std::uint32_t> count;
    };
    cuda::MaskView masks(std::size_t slot, int turn) const {
        return {slots_[slot].masks[turn % 2].data(), tables_.stride()};
    }

    MaskTables tables_;
    LiveRows rows_;
    BatchLayout layout_;
    cuda::DeviceBuffer<std::uint64_t> batch_;
    std::vector<Slot> slots_;
    BatchView view_;
    cuda::Event fork_, joins_[slots];
    cuda::Stream streams_[slots];
};

// The paper's structures for the first 32 events.
class Paper {
public:
    explicit Paper(const ClusterWorkload& w) {
        std::vector<paper::Predicate> predicates;
        std::vector<paper::Operand> operands, values;
        for (const auto& r : w.ranges) {
            predicates.push_back(
                {static_cast<std::int32_t>(r.attribute), paper::between, static_cast<std::int32_t>(operands.size())});
            operands.insert(operands.end(), {{r.lo, r.hi, 0, 0}, {0, 0, 0, 0}});
        }
        std::vector<paper::Attribute> attributes;
        std::vector<paper::EventRange> events;
        const auto int_of = [](std::size_t n) { return static_cast<std::int32_t>(n); };
        for (std::size_t e = 0; e < std::min<std::size_t>(w.batch.size(), 32); ++e) {
            events.push_back({int_of(attributes.size()), 0});
            for (const engine::Value& v : w.batch.event(e)) {
                attributes.push_back({int_of(v.attribute), int_of(values.size()), int_of(values.size() + 2)});
                values.insert(values.end(), {{static_cast<float>(v.number), 0, 0, 0}, {0, 0, 0, 0}});
            }
            events.back().last = int_of(attributes.size());
        }
        predicates_ = cuda::to_device(std::span<const paper::Predicate>(predicates));
        operands_ = cuda::to_device(std::span<const paper::Operand>(operands));
        values_ = cuda::to_device(std::span<const paper::Operand>(values));
        attributes_ = cuda::to_device(std::span<const paper::Attribute>(attributes));
        events_ = cuda::to_device(std::span<const paper::EventRange>(events));
        bitmap_ = cuda::DeviceBuffer<std::uint32_t>(predicates.size());
        result_ = cuda::DeviceBuffer<std::uint32_t>(w.row_sizes.size());

        std::map<std::uint32_t, std::vector<std::int32_t>> clusters;
        std::size_t at = 0;
        for (std::size_t s = 0; s < w.row_sizes.size(); ++s) {
            auto& cells = clusters[w.row_sizes[s]];
            cells.push_back(int_of(s));
            for (std::uint32_t j = 0; j < w.row_sizes[s]; ++j) cells.push_back(int_of(w.predicates[at++]));
        }
        for (const auto& [size, cells] : clusters) {
            clusters_.push_back({int_of(size), int_of(cells.size() / (size + 1)),
                                 cuda::to_device(std::span<const std::int32_t>(cells))});
        }
    }

    void enqueue_masks(paper::Grid grid, cudaStream_t stream) const {
        paper::enqueue_masks(
            {predicates_.data(), static_cast<std::int32_t>(predicates_.size()), operands_.data(), attributes_.data(),
             events_.data(), static_cast<std::int32_t>(events_.size()), values_.data(), bitmap_.data()},
            grid, stream);
    }
    // blocks 0: a thread for each subscription.
    void enqueue_match(paper::Grid grid, cudaStream_t stream) const {
        for (const auto& cluster : clusters_) {
            const int blocks = grid.blocks > 0 ? grid.blocks : (cluster.rows + grid.threads - 1) / grid.threads;
            paper::enqueue_match(cluster, bitmap_.data(), result_.data(), {blocks, grid.threads}, stream);
        }
    }
    std::vector<std::uint32_t> result() const { return from_device(result_.data(), result_.size()); }

private:
    cuda::DeviceBuffer<paper::Predicate> predicates_;
    cuda::DeviceBuffer<paper::Operand> operands_, values_;
    cuda::DeviceBuffer<paper::Attribute> attributes_;
    cuda::DeviceBuffer<paper::EventRange> events_;
    cuda::DeviceBuffer<std::uint32_t> bitmap_, result_;
    std::vector<paper::Cluster> clusters_;
};

// Whether each batch slot has exactly the expected hits, without duplicates.
bool agrees(const Ours& ours, const std::vector<std::uint32_t>& expected, std::size_t subscriptions) {
    for (std::size_t slot = 0; slot < ours.slots_made(); ++slot) {
        std::vector<std::uint32_t> found(expected.size());
        for (const cuda::Hit& hit : ours.hits(slot)) {
            const std::size_t at = hit.word() * subscriptions + hit.target();
            if (hit.target() >= subscriptions || at >= found.size() || found[at] != 0) return false;
            found[at] = hit.events;
        }
        if (found != expected) return false;
    }
    return true;
}

struct Best {
    double microseconds = 1e300;
    paper::Grid grid{};
};

// The thesis looked for the best number of blocks and threads, too.
template <class Enqueue>
Best best_grid(std::initializer_list<int> blocks, Enqueue enqueue) {
    Best best;
    for (const int b : blocks) {
        for (const int t : {64, 128, 256, 512}) {
            const double time = graph_microseconds([&](cudaStream_t s) { enqueue(paper::Grid{b, t}, s); }, 5, 11);
            if (time < best.microseconds) best = {time, {b, t}};
        }
    }
    return best;
}

struct Times {
    double alone, chain, in_flight;
};
// Microseconds per batch. The last result in each slot is from the timed runs.
Times time_ours(const Ours& ours, const cuda::MatchTuning& tuning = {}) {
    Times t{};
    const bool small = ours.slots_made() > 1;
    ours.forget_hits();
    t.alone = graph_microseconds([&](cudaStream_t s) { ours.enqueue(s, tuning); }, small ? 20 : 5, small ? 51 : 15);
    t.chain =
        graph_microseconds([&](cudaStream_t s) { ours.enqueue_chain(s, tuning); }, small ? 2 : 1, small ? 51 : 15) /
        chain_batches;
    if (!small) return t;
    t.in_flight = graph_microseconds([&](cudaStream_t s) { ours.enqueue_in_flight(s, tuning); }, 1, 21) /
                  (chain_batches * Ours::slots);
    return t;
}

void compare(std::uint32_t predicates, std::uint32_t events, double share) {
    const ClusterWorkload workload(predicates, events, share);
    const auto expected = workload.expected();
    const Ours ours(workload);
    const double masks = graph_microseconds([&](cudaStream_t s) { ours.enqueue_masks(s); });
    const Times times = time_ours(ours), again = time_ours(ours);
    const double words = (events + 31) / 32;
    std::printf(
        "{\"bench\":\"clusters\",\"predicates\":%u,\"events\":%u,\"share\":%g,\"hits\":%u,\"masks_us\":%.2f,"
        "\"us\":%.2f,\"again_us\":%.2f,\"chain_us\":%.2f,\"chain_again_us\":%.2f,\"in_flight_us\":%.2f,"
        "\"per_32_events_us\":%.2f,\"right\":%s",
        predicates, events, share, ours.count(), masks, times.alone, again.alone, times.chain, again.chain,
        times.in_flight, times.chain / words, agrees(ours, expected, workload.row_sizes.size()) ? "true" : "false");
    if (events <= 32) {
        const Paper paper(workload);
        const Best m =
            best_grid({10, 20, 132, 264, 1056}, [&](paper::Grid g, cudaStream_t s) { paper.enqueue_masks(g, s); });
        const Best c = best_grid({10, 132, 1056, 0}, [&](paper::Grid g, cudaStream_t s) { paper.enqueue_match(g, s); });
        const auto both = [&](cudaStream_t s) {
            paper.enqueue_masks(m.grid, s);
            paper.enqueue_match(c.grid, s);
        };
        const double alone = graph_microseconds(both);
        const double chain = graph_microseconds(
                                 [&](cudaStream_t s) {
                                     for (int i = 0; i < chain_batches; ++i) both(s);
                                 },
                                 1, 21) /
                             chain_batches;
        std::printf(
            ",\"paper_masks_us\":%.2f,\"paper_clusters_us\":%.2f,\"paper_us\":%.2f,\"paper_chain_us\":%.2f,"
            "\"speed_up\":%.1f,\"chain_speed_up\":%.1f,\"paper_right\":%s",
            m.microseconds, c.microseconds, alone, chain, alone / times.alone, chain / times.chain,
            paper.result() == expected ? "true" : "false");
    }
    std::printf("}\n");
    std::fflush(stdout);
}

double percentile(std::vector<double> times, double p) {
    if (times.empty()) return 0;
    std::sort(times.begin(), times.end());
    return times[std::min(times.size() - 1, static_cast<std::size_t>(p * static_cast<double>(times.size())))];
}

// One thread matches batches of 32 events in sequence, each from the call to its end on the device. Another repeatedly
// inserts 1,000 subscriptions into each of the seven clusters and removes them again.
void update_live(int rounds) {
    constexpr std::uint32_t inserts = 1000;
    const ClusterWorkload workload(30000, 32, 0.1);
    Ours ours(workload, inserts);
    const auto rows = workload.rows();
    std::vector<cuda::ClusterRow> fresh;
    std::size_t first = 0;
    for (const std::uint32_t size : ClusterWorkload::cluster_rows) {
        fresh.insert(fresh.end(), rows.begin() + static_cast<std::ptrdiff_t>(first),
                     rows.begin() + static_cast<std::ptrdiff_t>(first + inserts));
        first += size;
    }

    VersionGate gate(1);
    std::mutex gate_mutex;
    bool stop = false, updating = false;
    std::vector<double> quiet, meanwhile, insert_times, enqueue_times;
    std::thread matcher([&] {
        const cuda::Stream stream;
        for (bool go_on = true; go_on;) {
            const auto begin = Clock::now();
            bool during = false;
            {
                const std::lock_guard lock(gate_mutex);
                gate.begin_read(stream);
                ours.enqueue(stream);
                gate.end_read(0, stream);
                during = updating;
                go_on = !stop;
            }
            stream.wait();
            {
                const std::lock_guard lock(gate_mutex);
                during = during || updating;
            }
            (during ? meanwhile : quiet).push_back(microseconds_since(begin));
        }
    });
    const cuda::Stream writer;
    const auto write = [&] {
        ours.rows().stage(writer);
        writer.wait();  // so that no batch waits for the copy
        const std::lock_guard lock(gate_mutex);
        gate.begin_write(writer);
        ours.rows().apply(writer);
        gate.end_write(writer);
    };
    const auto set_updating = [&](bool value) {
        const std::lock_guard lock(gate_mutex);
        updating = value;
    };
    std::vector<std::uint32_t> slots;
    for (int round = 0; round < rounds; ++round) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        set_updating(true);
        const auto begin = Clock::now();
        for (const auto& row : fresh) slots.push_back(ours.rows().insert(row).value());
        write();
        enqueue_times.push_back(microseconds_since(begin));
        writer.wait();
        insert_times.push_back(microseconds_since(begin));
        set_updating(false);
        for (const std::uint32_t slot : slots) ours.rows().remove(slot);
        slots.clear();
        write();
        writer.wait();
    }
    {
        const std::lock_guard lock(gate_mutex);
        stop = true;
    }
    matcher.join();
    std::printf(
        "{\"bench\":\"insert_1000_into_each_of_7\",\"rounds\":%d,\"insert_us_p50\":%.1f,\"insert_us_max\":%.1f,"
        "\"batches\":%zu,\"batch_us_p50\":%.1f,\"batch_us_p99\":%.1f,\"batch_us_max\":%.1f,"
        "\"batches_meanwhile\":%zu,\"meanwhile_us_p50\":%.1f,\"meanwhile_us_p99\":%.1f,\"meanwhile_us_max\":%.1f}\n",
        rounds, percentile(insert_times, 0.5), percentile(insert_times, 1), quiet.size(), percentile(quiet, 0.5),
        percentile(quiet, 0.99), percentile(quiet, 1), meanwhile.size(), percentile(meanwhile, 0.5),
        percentile(meanwhile, 0.99), percentile(meanwhile, 1));
}

int run(const std::string& what) {
    if (cuda::device_count() == 0) {
        std::fprintf(stderr, "bench_clusters: no CUDA device\n");
        return 1;
    }
    if (what == "--profile") {
        for (const std::uint32_t events : {32u, 1024u}) {
            const Ours ours(ClusterWorkload(30000, events, 1.0));
            const cuda::Stream stream;
            for (int i = 0; i < 2; ++i) ours.enqueue(stream);
            stream.wait();
        }
        return 0;
    }
    for (const std::uint32_t predicates : {30000u, 10000u, 1000u}) {
        for (const std::uint32_t events : {32u, 1u}) {
            for (const double share : {1.0, 0.5, 0.1}) {
                if (events == 32 || share == 1.0) compare(predicates, events, share);
            }
        }
    }
    for (const double share : {1.0, 0.5, 0.1}) compare(30000, 1024, share);
    compare(10000, 1024, 1.0);
    update_live(100);
    return 0;
}

}  // namespace

}  // namespace sluice::bench

int main(int argc, char** argv) {
    try {
        return sluice::bench::run(argc > 1 ? argv[1] : "");
    } catch (const std::exception& error) {
        std::fprintf(stderr, "bench_clusters: %s\n", error.what());
        return 1;
    }
}
