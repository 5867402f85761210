#include "gpu/device/arena.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace sluice::cuda {

namespace {

constexpr std::size_t alignment = 256;

}  // namespace

Uploader::Uploader() = default;

void Uploader::copy(std::byte* to, const void* from, std::size_t bytes) {
    const auto* at = static_cast<const std::byte*>(from);
    for (std::size_t done = 0; done < bytes; done += piece_bytes) {
        const std::size_t size = std::min(piece_bytes, bytes - done);
        if (used_[next_]) wait_asleep(read_[next_], stream_);
        std::byte* const piece = pieces_.data() + static_cast<std::size_t>(next_) * piece_bytes;
        std::memcpy(piece, at + done, size);
        check(cudaMemcpyAsync(to + done, piece, size, cudaMemcpyHostToDevice, stream_), "copy to device");
        count_to_device(size);
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
