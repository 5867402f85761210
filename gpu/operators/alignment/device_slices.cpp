#include "gpu/operators/alignment/device_slices.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "gpu/cuda/keep_device.hpp"

namespace sluice::alignment {

namespace {

// Does it with the device current; what goes wrong says where.
template <class What>
auto on(int number, What what) {
    try {
        cuda::check(cudaSetDevice(number), "cudaSetDevice");
        return what();
    } catch (const cuda::CudaError& error) {
        cudaGetLastError();
        throw DeviceError("GPU " + std::to_string(number) + ": " + error.what());
    }
}

// Whether kernels on device `from` may write into memory of device `to`, which they are then allowed to.
bool reaches(int from, int to) {
    if (from == to) return true;
    return on(from, [&] {
        int can = 0;
        cuda::check(cudaDeviceCanAccessPeer(&can, from, to), "cudaDeviceCanAccessPeer");
        if (can == 0) return false;
        const cudaError_t code = cudaDeviceEnablePeerAccess(to, 0);
        if (code == cudaSuccess) return true;
        cudaGetLastError();
        return code == cudaErrorPeerAccessAlreadyEnabled;
    });
}

}  // namespace

void require_devices(std::span<const int> devices) {
    const int count = cuda::device_count();
    if (devices.empty() || devices.size() > DeviceSlices::devices_max)
        throw DeviceError("a pair takes 1 to " + std::to_string(DeviceSlices::devices_max) + " GPUs, not " +
                          std::to_string(devices.size()));
    for (const int number : devices) {
        if (number < 0 || number >= count)
            throw DeviceError("there is no GPU " + std::to_string(number) + " among the " + std::to_string(count) +
                              " that CUDA can use, the first of which is 0");
    }
}

DeviceSlices::Device::Device(int its_number, const Scheme& scheme) : number(its_number) {
    cuda::upload<std::int32_t>(matrix, long_matrix(scheme));
}

DeviceSlices::DeviceSlices(const Scheme& scheme, std::span<const int> devices) : scheme_(scheme) {
    require_devices(devices);
    const cuda::KeepDevice keep;
    for (const int number : devices) on(number, [&] { devices_.emplace_back(number, scheme); });
}

DeviceSlices::~DeviceSlices() {
    if (under_way_) abandon();
}

void DeviceSlices::prepare(Mode mode, const LongPair& pair, bool prune, LongShape shape, SliceOptions slices) {
    if (under_way_) abandon();
    const cuda::KeepDevice keep;
    mode_ = mode;
    pair_ = pair;
    prune_ = prune;
    shape_ = shape == LongShape{} ? long_shape_for(pair.text.size() / devices_.size()) : shape;
    deal(slices);
    if (slices_.empty()) return;
    for (unsigned index = 0; index < devices_.size(); ++index) {
        const bool direct = !slices.through_host && is_reached(index);
        on(devices_[index].number, [&] { allocate(devices_[index], direct); });
    }
    for (unsigned index = 0; index < devices_.size(); ++index)
        on(devices_[index].number, [&] { copy_work(devices_[index], index); });
    on(devices_.front().number, [&] { progress_.reserve(slices_.size()); });
}

void DeviceSlices::deal(SliceOptions options) {
    const bool empty = pair_.query.empty() || pair_.text.empty();
    const std::size_t width = block_columns(shape_);
    std::vector<unsigned> capacities;
    for (const Device& device : devices_) {
        const auto shares = static_cast<unsigned>(std::count_if(
            devices_.begin(), devices_.end(), [&](const Device& other) { return other.number == device.number; }));
        const unsigned resident =
            on(device.number, [&] { return resident_blocks(mode_, shape_, static_cast<unsigned>(scheme_.letters)); });
        const unsigned most = std::max(1u, resident / shares);
        capacities.push_back(options.blocks_max == 0 ? most : std::min(most, options.blocks_max));
    }
    slices_ = deal_slices(empty ? 0 : static_cast<std::uint32_t>(padded(pair_.text.size(), width) / width), capacities);
    places_.clear();
    for (Device& device : devices_) device.slices = device.blocks = 0;
    std::vector<unsigned> turns(static_cast<std::size_t>(cuda::device_count()));
    for (const Slice& slice : slices_) {
        Device& device = devices_[slice.device];
        places_.push_back(
            {device.slices++, device.blocks, stream_for(device, turns[static_cast<std::size_t>(device.number)]++)});
        device.blocks += slice.blocks;
    }
}

// Slices begin in order, each only when all have ended that a GPU can't hold beside it and one more: so what it holds
// never waits for what it has no room for. One more, since a slice's blocks end one after another and the next ones
// take their room.
cudaStream_t DeviceSlices::stream_for(const Device& device, unsigned turn) const {
    std::vector<cudaStream_t> streams;
    for (const Device& other : devices_) {
        if (other.number == device.number) streams.push_back(other.streams[0]);
    }
    const auto first = std::find_if(devices_.begin(), devices_.end(),
                                    [&](const Device& other) { return other.number == device.number; });
    streams.push_back(first->streams[1]);
    return streams[turn % streams.size()];
}

// By those whose slices are to the left of its own.
bool DeviceSlices::is_reached(unsigned index) const {
    for (std::size_t s = 1; s < slices_.size(); ++s) {
        if (slices_[s].device == index && !reaches(devices_[slices_[s - 1].device].number, devices_[index].number))
            return false;
    }
    return true;
}

void DeviceSlices::allocate(Device& device, bool direct) {
    const std::size_t rows = padded(pair_.query.size(), row_multiple(shape_));
    device.best_at = padded(device.slices * sizeof(unsigned), 64);
    device.units_at = device.best_at + 64;
    device.results_at = device.units_at + padded(device.blocks * sizeof(std::uint32_t), 64);
    device.bus_at = device.results_at + std::size_t{device.blocks} * strip_warps * sizeof(StripResult);
    device.state_bytes = device.bus_at + rows * sizeof(Edge);
    device.state.reserve(device.state_bytes);
    device.ingress = {};
    if (!direct) device.ingress = cuda::PinnedBuffer<Edge>(rows);
}

// The query, and the text of the device's slices.
void DeviceSlices::copy_work(Device& device, unsigned index) {
    if (device.slices == 0) return;
    const auto padding = static_cast<Code>(scheme_.letters);
    const std::size_t width = block_columns(shape_), m = pair_.query.size(), n = pair_.text.size();
    std::vector<Code> codes;
    append_query(codes, pair_.query, shape_, padding);
    const std::size_t text_at = codes.size();
    std::vector<LongWork> work;
    for (std::size_t s = 0; s < slices_.size(); ++s) {
        const Slice& slice = slices_[s];
        if (slice.device != index) continue;
        const std::size_t before = slice.first_block * width, columns = std::min(slice.blocks * width, n - before);
        const Codes text = pair_.text.subspan(before, columns);
        codes.insert(codes.end(), text.begin(), text.end());
        LongWork& part = work.emplace_back();
        part.bus = device.bus();
        part.ingress = s == 0 ? nullptr : device.left_edge();
        part.egress = s + 1 == slices_.size() ? nullptr : devices_[slices_[s + 1].device].left_edge();
        part.results = reinterpret_cast<StripResult*>(device.state.data() + device.results_at) +
                       std::size_t{places_[s].block} * strip_warps;
        part.best = device.best();
        part.m = static_cast<std::uint32_t>(m);
        part.n = static_cast<std::uint32_t>(columns);
        part.before = static_cast<std::uint32_t>(before);
        part.after = static_cast<std::uint32_t>(n - before - columns);
        part.groups = static_cast<std::uint32_t>(padded(m, row_multiple(shape_)) / shape_.rows);
        part.blocks = slice.blocks;
        part.first_block = slice.first_block;
        part.known_below = mode_ == Mode::local ? pair_.known_below : 0;
        part.stop_at = mode_ == Mode::local ? pair_.stop_at : INT32_MAX;
    }
    codes.resize(text_at + device.blocks * width, padding);
    cuda::upload<Code>(device.codes, codes);
    for (std::size_t k = 0, s = 0; s < slices_.size(); ++s) {
        if (slices_[s].device != index) continue;
        work[k].query = device.codes.data();
        work[k++].text = device.codes.data() + text_at + places_[s].block * width;
    }
    cuda::upload<std::byte>(device.work, std::as_bytes(std::span(work)));
}

void DeviceSlices::enqueue() {
    if (slices_.empty()) return;
    const cuda::KeepDevice keep;
    std::fill(progress_.begin(), progress_.end(), 0u);
    under_way_ = true;
    try {
        // All is zero before anybody begins, since its neighbour writes to it.
        for (Device& device : devices_) {
            on(device.number, [&] {
                cuda::check(cudaMemsetAsync(device.state.data(), 0, device.state_bytes, device.streams[0]),
                            "cudaMemsetAsync");
                std::fill(device.ingress.begin(), device.ingress.end(), Edge{0});
                std::fill(device.bests.begin(), device.bests.end(), 0);
                device.streams[0].wait();
            });
        }
        for (std::size_t s = 0; s < slices_.size(); ++s) on(devices_[slices_[s].device].number, [&] { launch(s); });
    } catch (...) {
        abandon();
        throw;
    }
}

void DeviceSlices::launch(std::size_t slice) {
    const Device& device = devices_[slices_[slice].device];
    const Place& place = places_[slice];
    const LongArguments arguments{
        .work = reinterpret_cast<const LongWork*>(device.work.data()) + place.slice,
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
    launch_long(mode_, shape_, arguments, arguments.units, place.stream);
}

bool DeviceSlices::is_done() {
    bool done = true;
    for (const Device& device : devices_) {
        on(device.number, [&] {
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

EndPoint DeviceSlices::finish(const Waiting& waiting) {
    statistics_ = {};
    if (slices_.empty()) return reference_align(scheme_, mode_, pair_.query, pair_.text);
    const cuda::KeepDevice keep;
    try {
        while (!is_done()) {
            if (mode_ == Mode::local && devices_.size() > 1) share_best();
            if (waiting) waiting(progress());
            std::this_thread::sleep_for(std::chrono::microseconds(50));
        }
        // The last of share_best()'s copies may be under way, and the next pair is written where they read and write.
        for (const Device& device : devices_) on(device.number, [&] { device.copies.wait(); });
        under_way_ = false;
        return collect();
    } catch (...) {
        abandon();
        throw;
    }
}

// The host carries best scores from each device to the others, some thousand times a second; it costs the kernels
// nothing, unlike memory that all of them would read.
void DeviceSlices::share_best() {
    int best = 0;
    for (const Device& device : devices_) {
        on(device.number, [&] {
            cuda::copy_to_host(std::span(device.bests.data(), 1), static_cast<const int*>(device.best()),
                               device.copies);
        });
    }
    for (const Device& device : devices_) {
        on(device.number, [&] { device.copies.wait(); });
        best = std::max(best, device.bests[0]);
    }
    for (Device& device : devices_) {
        if (best > device.bests[0] && best > device.bests[1]) on(device.number, [&] { tell(device, best); });
    }
}

void DeviceSlices::tell(Device& device, int best) {
    device.bests[1] = best;
    cuda::copy_to_device(device.best() + 1, std::span<const int>(device.bests.data() + 1, 1), device.copies);
}

EndPoint DeviceSlices::collect() {
    EndPoint end;
    statistics_.tiles = count_tiles(shape_, pair_.query.size(), pair_.text.size());
    for (const Device& device : devices_) {
        std::vector<StripResult> results(std::size_t{device.blocks} * strip_warps);
        on(device.number, [&] {
            cuda::copy_to_host(std::span(results),
                               reinterpret_cast<const StripResult*>(device.state.data() + device.results_at),
                               device.streams[0]);
            device.streams[0].wait();
        });
        add_results(mode_, results, end, statistics_);
    }
    return end;
}

// Whoever waits for edges sees that there is nothing to be found any more, and ends; so does all that has not begun.
void DeviceSlices::abandon() noexcept {
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

double DeviceSlices::progress() const {
    std::uint64_t done = 0, all = 0;
    for (std::size_t s = 0; s < slices_.size(); ++s) {
        done += static_cast<volatile unsigned*>(progress_.data())[s];
        all += slices_[s].blocks;
    }
    return all == 0 ? 0 : static_cast<double>(done) / static_cast<double>(all);
}

EndPoint DeviceSlices::align(Mode mode, Codes query, Codes text, const LongOptions& options, SliceOptions slices) {
    prepare(mode, {query, text, options.known_below, options.stop_at}, options.prune, options.shape, slices);
    enqueue();
    return finish();
}

std::size_t DeviceSlices::device_bytes(std::size_t index) const {
    const Device& device = devices_[index];
    return device.matrix.bytes() + device.codes.bytes() + device.work.bytes() + device.state.bytes() +
           device.ingress.bytes();
}

}  // namespace sluice::alignment
