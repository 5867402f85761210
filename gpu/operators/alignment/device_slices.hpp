// One long pair on several devices, as device_long.hpp does it on one: slices of columns in turn (slices.hpp), each
// handing its right edge, H and E of every row, to the device of the next one while both work: into that device's
// memory where it can be reached, else into the host's. The best score is shared, so that what one finds prunes and
// ends the others' work. Owned by one thread at a time; leaves the thread's current device as it was. Errors are
// DeviceError; a device that fails ends the work of the others.
#pragma once

#include <deque>
#include <functional>
#include <stdexcept>
#include <vector>

#include "gpu/operators/alignment/device_long.hpp"
#include "gpu/operators/alignment/long_launch.hpp"
#include "gpu/operators/alignment/slices.hpp"

namespace sluice::alignment {

// what() begins with the device: "GPU 1: cudaMalloc of …".
class DeviceError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Throws unless these are 1 to DeviceSlices::devices_max numbers of devices that there are.
void require_devices(std::span<const int> devices);

struct SliceOptions {
    // For tests: slices of at most so many blocks (0: what suits), and edges through the host's memory in any case.
    unsigned blocks_max = 0;
    bool through_host = false;
};

class DeviceSlices {
public:
    static constexpr std::size_t devices_max = 32;

    // Numbers as CUDA's: require_devices(). One that is named twice shares itself.
    DeviceSlices(const Scheme& scheme, std::span<const int> devices);
    ~DeviceSlices();

    // As DeviceLong::align().
    EndPoint align(Mode mode, Codes query, Codes text, const LongOptions& options = {}, SliceOptions slices = {});
    const LongStatistics& statistics() const { return statistics_; }  // of the last call
    std::size_t slices() const { return slices_.size(); }

    // The parts of align(), for those who time them or show progress. The sequences must live until finish().
    void prepare(Mode mode, const LongPair& pair, bool prune = true, LongShape shape = {}, SliceOptions slices = {});
    void enqueue();
    using Waiting = std::function<void(double share)>;
    EndPoint finish(const Waiting& waiting = {});  // called every now and then, with the share of the work that is done

    // What is held of the device's memory, and of the host's for it.
    std::size_t device_bytes(std::size_t index) const;

private:
    struct Device {
        Device(int its_number, const Scheme& scheme);

        int number;
        cuda::Stream streams[2], copies;
        cuda::DeviceBuffer<std::int32_t> matrix;
        cuda::DeviceBuffer<Code> codes;
        cuda::DeviceBuffer<std::byte> work;   // of LongWork, a slice each
        cuda::DeviceBuffer<std::byte> state;  // what is zero at first: tickets, best score, units, results, bus
        cuda::PinnedBuffer<Edge> ingress;     // if the device before it can't write into its memory
        std::size_t best_at = 0, units_at = 0, results_at = 0, bus_at = 0, state_bytes = 0;  // in `state`
        cuda::PinnedBuffer<int> bests{2};  // copies of `best` of LongWork
        std::uint32_t slices = 0, blocks = 0;

        Edge* bus() const { return reinterpret_cast<Edge*>(state.data() + bus_at); }
        int* best() const { return reinterpret_cast<int*>(state.data() + best_at); }
        Edge* left_edge() const { return ingress.size() > 0 ? ingress.data() : bus(); }
    };
    // Of slice s: how many its device has before it, how many blocks they have, and where it is launched.
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
    cuda::PinnedBuffer<unsigned> progress_;  // by slice

    // Of the pair.
    Mode mode_ = Mode::local;
    LongPair pair_;
    bool prune_ = true, under_way_ = false;
    LongShape shape_;
    std::vector<Slice> slices_;
    std::vector<Place> places_;
    LongStatistics statistics_;
};

}  // namespace sluice::alignment
