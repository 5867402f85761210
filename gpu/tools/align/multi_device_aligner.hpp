// Aligns one long pair on several devices, as wavefront_aligner.hpp does on one. The devices take slices of columns in
// turn (slices.hpp). While both work, a slice hands its right edge, H and E of every row, to the next slice's device:
// into that device's memory if reachable, else into the host's. The best score is shared, so a score found on one
// device prunes and ends the work of the others. Owned by one thread at a time; leaves the thread's current device
// unchanged. Errors are DeviceError; if one device fails, the others stop.
#pragma once

#include <deque>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "gpu/device/device.hpp"
#include "gpu/operators/alignment/cuda/wavefront_aligner.hpp"
#include "gpu/operators/alignment/cuda/wavefront_launch.hpp"
#include "gpu/tools/align/slices.hpp"

namespace sluice::alignment {

// Errors name the device that failed: "GPU 1: cudaMalloc of …".
class DeviceError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Calls what() with device `number` current. Rethrows a CudaError as a DeviceError that names the device.
template <class What>
auto on_device(int number, What what) {
    try {
        cuda::check(cudaSetDevice(number), "cudaSetDevice");
        return what();
    } catch (const cuda::CudaError& error) {
        cudaGetLastError();
        throw DeviceError("GPU " + std::to_string(number) + ": " + error.what());
    }
}

// Throws unless `devices` are 1 to MultiDeviceAligner::devices_max numbers of existing devices.
void require_devices(std::span<const int> devices);

struct SliceOptions {
    // For tests: the most blocks in a slice (0: automatic), and whether edges always go through host memory.
    unsigned blocks_max = 0;
    bool through_host = false;
};

class MultiDeviceAligner {
public:
    static constexpr std::size_t devices_max = 32;

    // CUDA device numbers that pass require_devices(). A device listed twice splits its capacity.
    MultiDeviceAligner(const Scheme& scheme, std::span<const int> devices);
    ~MultiDeviceAligner();

    // Like WavefrontAligner::align().
    EndPoint align(Mode mode, Codes query, Codes text, const WavefrontOptions& options = {}, SliceOptions slices = {});
    const PruneStatistics& statistics() const { return statistics_; }  // of the last call
    std::size_t slices() const { return slices_.size(); }

    // The steps of align(), for callers that time them or show progress. The sequences must outlive finish().
    void prepare(Mode mode, const SequencePair& pair, bool prune = true, TileShape shape = {},
                 SliceOptions slices = {});
    void enqueue();
    using Waiting = std::function<void(double share)>;
    EndPoint finish(const Waiting& waiting = {});  // called regularly with the share of the work done so far

    // The bytes held in the device's memory, plus those in host memory that stand in for it.
    std::size_t device_bytes(std::size_t index) const;

private:
    struct Device {
        Device(int its_number, const Scheme& scheme);

        int number;
        cuda::Stream streams[2], copies;
        cuda::DeviceBuffer<std::int32_t> matrix;
        cuda::DeviceBuffer<Code> codes;
        cuda::DeviceBuffer<std::byte> work;   // WavefrontWork, one per slice
        cuda::DeviceBuffer<std::byte> state;  // initially zero: tickets, best score, units, results, bus
        cuda::PinnedBuffer<Edge> ingress;     // used if the device before it cannot write into its memory
        std::size_t best_at = 0, units_at = 0, results_at = 0, bus_at = 0, state_bytes = 0;  // in `state`
        cuda::PinnedBuffer<int> bests{2};  // copies of WavefrontWork::best
        std::uint32_t slices = 0, blocks = 0;

        Edge* bus() const { return reinterpret_cast<Edge*>(state.data() + bus_at); }
        int* best() const { return reinterpret_cast<int*>(state.data() + best_at); }
        Edge* left_edge() const { return ingress.size() > 0 ? ingress.data() : bus(); }
    };
    // For a slice: the number of slices before it on its device, the number of their blocks, and its stream.
    struct Place {
        std::uint32_t slice, block;
        cudaStream_t stream;
    };

    void deal(SliceOptions slices);
    bool is_reached(unsigned index) const;
    void allocate(Device& device, bool direct);
    void copy_work(Device& device, unsigned index);
    cudaStream_t stream_for(const Device& device, unsigned turn) const;
    void launch(std::size_t slice);
    bool is_done();
    void share_best();
    void tell(Device& device, int best);
    double progress() const;
    EndPoint collect();
    void abandon() noexcept;

    Scheme scheme_;
    std::deque<Device> devices_;
    cuda::PinnedBuffer<unsigned> progress_;  // [slice]

    // State of the current pair.
    Mode mode_ = Mode::local;
    SequencePair pair_;
    bool prune_ = true, under_way_ = false;
    TileShape shape_;
    std::vector<Slice> slices_;
    std::vector<Place> places_;
    PruneStatistics statistics_;
};

}  // namespace sluice::alignment
