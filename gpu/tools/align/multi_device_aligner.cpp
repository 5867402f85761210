#include "gpu/tools/align/multi_device_aligner.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "gpu/device/keep_device.hpp"

namespace sluice::alignment {

void require_devices(std::span<const int> devices) {
    const int count = cuda::device_count();
    if (devices.empty() || devices.size() > MultiDeviceAligner::devices_max)
        throw DeviceError("a pair can use 1 to " + std::to_string(MultiDeviceAligner::devices_max) + " GPUs, not " +
                          std::to_string(devices.size()));
    for (const int number : devices) {
        if (number < 0 || number >= count)
            throw DeviceError("there is no GPU " + std::to_string(number) + ": CUDA can use " + std::to_string(count) +
                              ", numbered from 0");
    }
}

MultiDeviceAligner::Device::Device(int its_number, const Scheme& scheme) : number(its_number) {
    cuda::upload<std::int32_t>(matrix, padded_matrix(scheme));
}

MultiDeviceAligner::MultiDeviceAligner(const Scheme& scheme, std::span<const int> devices) : scheme_(scheme) {
    require_devices(devices);
    const cuda::KeepDevice keep;
    for (const int number : devices) on_device(number, [&] { devices_.emplace_back(number, scheme); });
}

MultiDeviceAligner::~MultiDeviceAligner() {
    if (under_way_) abandon();
}

void MultiDeviceAligner::enqueue() {
    if (slices_.empty()) return;
    const cuda::KeepDevice keep;
    std::fill(progress_.begin(), progress_.end(), 0u);
    under_way_ = true;
    try {
        // Zero all state before any slice starts, since a device's neighbour writes to it.
        for (Device& device : devices_) {
            on_device(device.number, [&] {
                cuda::check(cudaMemsetAsync(device.state.data(), 0, device.state_bytes, device.streams[0]),
                            "cudaMemsetAsync");
                std::fill(device.ingress.begin(), device.ingress.end(), Edge{0});
                std::fill(device.bests.begin(), device.bests.end(), 0);
                device.streams[0].wait();
            });
        }
        for (std::size_t s = 0; s < slices_.size(); ++s)
            on_device(devices_[slices_[s].device].number, [&] { launch(s); });
    } catch (...) {
        abandon();
        throw;
    }
}

void MultiDeviceAligner::launch(std::size_t slice) {
    const Device& device = devices_[slices_[slice].device];
    const Place& place = places_[slice];
    const WavefrontArguments arguments{
        .work = reinterpret_cast<const WavefrontWork*>(device.work.data()) + place.slice,
        .unit_work = reinterpret_cast<const std::uint32_t*>(device.state.data() + device.units_at),
        .ticket = reinterpret_cast<unsigned*>(device.state.data()) + place.slice,
        .matrix = device.matrix.data(),
        .progress = progress_.data() + slice,
        .units = slices_[slice].blocks,
        .letters = static_cast<unsigned>(scheme_.letters),
        .gap_first = scheme_.gap_first,
        .gap_further = scheme_.gap_further,
        .highest = scheme_.highest,
        .prune = prune_,
        .one = 1,
    };
    launch_wavefront(mode_, shape_, arguments, arguments.units, place.stream);
}

bool MultiDeviceAligner::is_done() {
    bool done = true;
    for (const Device& device : devices_) {
        on_device(device.number, [&] {
            for (const cuda::Stream& stream : device.streams) {
                const cudaError_t code = cudaStreamQuery(stream);
                const bool is_ready = code != cudaErrorNotReady;
                if (!is_ready) cudaGetLastError();  // "not ready" counts as an error
                cuda::check(is_ready ? code : cudaSuccess, "alignment of a slice");
                done = done && is_ready;
            }
        });
    }
    return done;
}

EndPoint MultiDeviceAligner::finish(const Waiting& waiting) {
    statistics_ = {};
    if (slices_.empty()) return reference_align(scheme_, mode_, pair_.query, pair_.text);
    const cuda::KeepDevice keep;
    try {
        while (!is_done()) {
            if (mode_ == Mode::local && devices_.size() > 1) share_best();
            if (waiting) waiting(progress());
            std::this_thread::sleep_for(std::chrono::microseconds(50));
        }
        // The last copies of share_best() may still be running, and the next pair reuses their memory.
        for (const Device& device : devices_) on_device(device.number, [&] { device.copies.wait(); });
        under_way_ = false;
        return collect();
    } catch (...) {
        abandon();
        throw;
    }
}

// The host copies best scores from each device to the others, some thousand times a second. Unlike memory that all
// devices read, this costs the kernels nothing.
void MultiDeviceAligner::share_best() {
    int best = 0;
    for (const Device& device : devices_) {
        on_device(device.number, [&] {
            cuda::copy_to_host(std::span(device.bests.data(), 1), static_cast<const int*>(device.best()),
                               device.copies);
        });
    }
    for (const Device& device : devices_) {
        on_device(device.number, [&] { device.copies.wait(); });
        best = std::max(best, device.bests[0]);
    }
    for (Device& device : devices_) {
        if (best > device.bests[0] && best > device.bests[1]) on_device(device.number, [&] { tell(device, best); });
    }
}

void MultiDeviceAligner::tell(Device& device, int best) {
    device.bests[1] = best;
    cuda::copy_to_device(device.best() + 1, std::span<const int>(device.bests.data() + 1, 1), device.copies);
}

EndPoint MultiDeviceAligner::collect() {
    EndPoint end;
    statistics_.tiles = count_tiles(shape_, pair_.query.size(), pair_.text.size());
    for (const Device& device : devices_) {
        std::vector<StripResult> results(std::size_t{device.blocks} * strip_warps);
        on_device(device.number, [&] {
            cuda::copy_to_host(std::span(results),
                               reinterpret_cast<const StripResult*>(device.state.data() + device.results_at),
                               device.streams[0]);
            device.streams[0].wait();
        });
        add_results(mode_, results, end, statistics_);
    }
    return end;
}

// Sets the best score so high that blocks waiting for edges, and those not yet started, end.
void MultiDeviceAligner::abandon() noexcept {
    const cuda::KeepDevice keep;
    for (Device& device : devices_) {
        cudaSetDevice(device.number);
        cudaStreamSynchronize(device.copies);
        device.bests[1] = INT32_MAX;
        cudaMemcpyAsync(device.best() + 1, device.bests.data() + 1, sizeof(int), cudaMemcpyHostToDevice, device.copies);
    }
    for (const Device& device : devices_) {
        cudaSetDevice(device.number);
        for (const cuda::Stream& stream : device.streams) cudaStreamSynchronize(stream);
        cudaStreamSynchronize(device.copies);
        cudaGetLastError();
    }
    under_way_ = false;
}

double MultiDeviceAligner::progress() const {
    std::uint64_t done = 0, all = 0;
    for (std::size_t s = 0; s < slices_.size(); ++s) {
        done += static_cast<volatile unsigned*>(progress_.data())[s];
        all += slices_[s].blocks;
    }
    return all == 0 ? 0 : static_cast<double>(done) / static_cast<double>(all);
}

EndPoint MultiDeviceAligner::align(Mode mode, Codes query, Codes text, const WavefrontOptions& options,
                                   SliceOptions slices) {
    prepare(mode, {query, text, options.known_below, options.stop_at}, options.prune, options.shape, slices);
    enqueue();
    return finish();
}

std::size_t MultiDeviceAligner::device_bytes(std::size_t index) const {
    const Device& device = devices_[index];
    return device.matrix.bytes() + device.codes.bytes() + device.work.bytes() + device.state.bytes() +
           device.ingress.bytes();
}

}  // namespace sluice::alignment
