// Distributes the columns of a pair and copies each device's part to it; multi_device_aligner.cpp starts the work and
// waits for it.
#include <algorithm>

#include "gpu/device/keep_device.hpp"
#include "gpu/tools/align/multi_device_aligner.hpp"

namespace sluice::alignment {

namespace {

// Whether kernels on device `from` may write to the memory of device `to`; enables that access.
bool reaches(int from, int to) {
    if (from == to) return true;
    return on_device(from, [&] {
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

void MultiDeviceAligner::prepare(Mode mode, const SequencePair& pair, bool prune, TileShape shape,
                                 SliceOptions slices) {
    if (under_way_) abandon();
    const cuda::KeepDevice keep;
    mode_ = mode;
    pair_ = pair;
    prune_ = prune;
    shape_ = shape == TileShape{} ? tile_shape_for(pair.text.size() / devices_.size()) : shape;
    deal(slices);
    if (slices_.empty()) return;
    for (unsigned index = 0; index < devices_.size(); ++index) {
        const bool direct = !slices.through_host && is_reached(index);
        on_device(devices_[index].number, [&] { allocate(devices_[index], direct); });
    }
    for (unsigned index = 0; index < devices_.size(); ++index)
        on_device(devices_[index].number, [&] { copy_work(devices_[index], index); });
    on_device(devices_.front().number, [&] { progress_.reserve(slices_.size()); });
}

void MultiDeviceAligner::deal(SliceOptions options) {
    const bool empty = pair_.query.empty() || pair_.text.empty();
    const std::size_t width = block_columns(shape_);
    std::vector<unsigned> capacities;
    for (const Device& device : devices_) {
        const auto shares = static_cast<unsigned>(std::count_if(
            devices_.begin(), devices_.end(), [&](const Device& other) { return other.number == device.number; }));
        const unsigned resident = on_device(
            device.number, [&] { return resident_blocks(mode_, shape_, static_cast<unsigned>(scheme_.letters)); });
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

// The slices of a GPU start in order, and at most as many run at once as the GPU holds, plus one. So a running slice
// never waits for one that has no room. One more, because the blocks of a slice end one after another and the next
// slice's blocks take their room.
cudaStream_t MultiDeviceAligner::stream_for(const Device& device, unsigned turn) const {
    std::vector<cudaStream_t> streams;
    for (const Device& other : devices_) {
        if (other.number == device.number) streams.push_back(other.streams[0]);
    }
    const auto first = std::find_if(devices_.begin(), devices_.end(),
                                    [&](const Device& other) { return other.number == device.number; });
    streams.push_back(first->streams[1]);
    return streams[turn % streams.size()];
}

// By the devices whose slices are directly to the left of this device's slices.
bool MultiDeviceAligner::is_reached(unsigned index) const {
    for (std::size_t s = 1; s < slices_.size(); ++s) {
        if (slices_[s].device == index && !reaches(devices_[slices_[s - 1].device].number, devices_[index].number))
            return false;
    }
    return true;
}

void MultiDeviceAligner::allocate(Device& device, bool direct) {
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

// Copies the query, and the text of the device's slices.
void MultiDeviceAligner::copy_work(Device& device, unsigned index) {
    if (device.slices == 0) return;
    const auto padding = static_cast<Code>(scheme_.letters);
    const std::size_t width = block_columns(shape_), m = pair_.query.size(), n = pair_.text.size();
    std::vector<Code> codes;
    append_query(codes, pair_.query, shape_, padding);
    const std::size_t text_at = codes.size();
    std::vector<WavefrontWork> work;
    for (std::size_t s = 0; s < slices_.size(); ++s) {
        const Slice& slice = slices_[s];
        if (slice.device != index) continue;
        const std::size_t before = slice.first_block * width, columns = std::min(slice.blocks * width, n - before);
        const Codes text = pair_.text.subspan(before, columns);
        codes.insert(codes.end(), text.begin(), text.end());
        WavefrontWork& part = work.emplace_back();
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

}  // namespace sluice::alignment
