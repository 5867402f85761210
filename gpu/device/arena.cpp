#include "gpu/device/arena.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "gpu/device/abandoned_work.hpp"

namespace sluice::cuda {

namespace {

constexpr std::size_t alignment = 256;

// Whether an allocation leaves the head room. Memory that the pool of the current device holds unused is as good as
// free for what is allocated from it; for simplicity, all is.
bool leaves_head_room(std::size_t bytes, int device) {
    std::size_t available = 0, total = 0;
    check(cudaMemGetInfo(&available, &total), "cudaMemGetInfo");
    cudaMemPool_t pool = nullptr;
    std::uint64_t reserved = 0, used = 0;
    check(cudaDeviceGetDefaultMemPool(&pool, device), "cudaDeviceGetDefaultMemPool");
    check(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved), "cudaMemPoolGetAttribute");
    check(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used), "cudaMemPoolGetAttribute");
    const std::size_t unused = reserved - std::min(used, reserved), needed = bytes - std::min(bytes, unused);
    return available >= needed + std::min(MemoryPool::head_room_max, total / 16);
}

}  // namespace

void MemoryPool::claim(std::size_t bytes) {
    if (!leaves_head_room(bytes, device_))
        throw CudaError(cudaErrorMemoryAllocation, std::to_string(bytes) + " bytes and head room for batches");
    const std::size_t before = bytes_.fetch_add(bytes);
    if (bytes_max_ == 0 || before + bytes <= bytes_max_) return;
    bytes_ -= bytes;
    throw CudaError(cudaErrorMemoryAllocation, std::to_string(bytes) + " bytes beside " + std::to_string(before) +
                                                   " in use, of " + std::to_string(bytes_max_) + " allowed");
}

void* MemoryPool::allocate(std::size_t bytes, cudaStream_t stream) {
    Claim claimed(*this, bytes);
    void* p = nullptr;
    check(cudaMallocAsync(&p, bytes, stream), "cudaMallocAsync");
    claimed.keep();
    return p;
}

// Any stream will do: every possible reader of the memory has already waited for its kernels, or abandoned them.
void MemoryPool::release(void* p, std::size_t bytes) noexcept {
    if (p == nullptr) return;
    cudaSetDevice(device_);
    release_after_work(device_, p, [](void* memory) { return cudaFreeAsync(memory, cudaStreamPerThread); });
    cudaGetLastError();
    bytes_ -= bytes;
}

Uploader::Uploader() = default;

void Uploader::copy(std::byte* to, const void* from, std::size_t bytes) {
    const auto* at = static_cast<const std::byte*>(from);
    for (std::size_t done = 0; done < bytes; done += piece_bytes) {
        const std::size_t size = std::min(piece_bytes, bytes - done);
        if (used_[next_]) wait_asleep(read_[next_], stream_);
        std::byte* const piece = pieces_.data() + static_cast<std::size_t>(next_) * piece_bytes;
        std::memcpy(piece, at + done, size);
        check(cudaMemcpyAsync(to + done, piece, size, cudaMemcpyHostToDevice, stream_), "copy to device");
        read_[next_].record(stream_);
        used_[next_] = true;
        next_ ^= 1;
    }
}

void ArenaLayout::add(const void* from, std::size_t bytes, std::function<void(std::byte*)> place) {
    pieces_.push_back({from, bytes, bytes_, std::move(place)});
    bytes_ += (bytes + alignment - 1) / alignment * alignment;
}

Arena::Arena(std::size_t bytes, MemoryPool& memory, cudaStream_t stream)
    : resident_(Resident::here()),
      memory_(&memory),
      block_(static_cast<std::byte*>(memory.allocate(bytes, stream))),
      bytes_(bytes) {}

// One extra alignment, since kernels may read a word past the end.
Arena::Arena(const ArenaLayout& layout, MemoryPool& memory, Uploader& uploader)
    : Arena(layout.bytes_ + alignment, memory, uploader.stream()) {
    const Uploader::Drain drain(uploader);  // before the destructor frees the block
    for (const ArenaLayout::Piece& piece : layout.pieces_) {
        uploader.copy(block_ + piece.offset, piece.from, piece.bytes);
        piece.place(block_ + piece.offset);
    }
    uploader.wait();
}

Arena::Arena(Arena&& other) noexcept
    : resident_(std::move(other.resident_)),
      memory_(other.memory_),
      block_(std::exchange(other.block_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)) {}

Arena& Arena::operator=(Arena&& other) noexcept {
    std::swap(resident_, other.resident_);
    std::swap(memory_, other.memory_);
    std::swap(block_, other.block_);
    std::swap(bytes_, other.bytes_);
    return *this;
}

Arena::~Arena() {
    if (block_ != nullptr) memory_->release(block_, bytes_);
}

}  // namespace sluice::cuda
