#include <cstring>

#include "gpu/tools/search/device_search.cuh"

namespace sluice::substrings {

namespace {

// One thread per block of the batch.
__global__ void find_text_of_block(const std::uint32_t* offsets, std::uint32_t texts, std::uint32_t blocks,
                                   std::uint32_t* text_of_block) {
    const std::uint32_t block = blockIdx.x * blockDim.x + threadIdx.x;
    if (block >= blocks) return;
    const std::uint64_t begin = std::uint64_t{block} * BatchView::block_bytes;
    std::uint32_t low = 0, high = texts - 1;
    while (low < high) {
        const std::uint32_t middle = low + (high - low + 1) / 2;
        if (offsets[middle] <= begin)
            low = middle;
        else
            high = middle - 1;
    }
    text_of_block[block] = low;
}

std::size_t padded_bytes(std::size_t bytes) { return (bytes / BatchView::tile_bytes + 2) * BatchView::tile_bytes; }

std::uint32_t blocks_of(std::size_t bytes) { return static_cast<std::uint32_t>(bytes / BatchView::block_bytes + 2); }

}  // namespace

void DeviceBatch::reserve(std::size_t texts, std::size_t bytes) {
    staged_text_.reserve(bytes);
    staged_offsets_.reserve(texts + 1);
    text_.reserve(padded_bytes(bytes));
    offsets_.reserve(texts + 1);
    text_of_block_.reserve(blocks_of(bytes));
}

void DeviceBatch::upload(std::span<const std::string_view> texts, cudaStream_t stream) {
    std::size_t bytes = 0;
    for (const std::string_view text : texts) bytes += text.size();
    cuda::wait(stream);  // an upload before it, whose search has failed, may still read what is staged
    reserve(texts.size(), bytes);
    const std::size_t padded = padded_bytes(bytes);
    const std::uint32_t blocks = blocks_of(bytes);
    std::uint32_t offset = 0;
    for (std::size_t t = 0; t < texts.size(); ++t) {
        staged_offsets_[t] = offset;
        if (!texts[t].empty()) std::memcpy(staged_text_.data() + offset, texts[t].data(), texts[t].size());
        offset += static_cast<std::uint32_t>(texts[t].size());
    }
    staged_offsets_[texts.size()] = offset;
    cuda::check(cudaMemcpyAsync(text_.data(), staged_text_.data(), bytes, cudaMemcpyHostToDevice, stream),
                "copy texts");
    cuda::check(cudaMemsetAsync(text_.data() + bytes, 0, padded - bytes, stream), "pad texts");
    cuda::copy_to_device(offsets_.data(), std::span<const std::uint32_t>(staged_offsets_.data(), texts.size() + 1),
                         stream);
    const auto count = static_cast<std::uint32_t>(texts.size());
    find_text_of_block<<<(blocks + 255) / 256, 256, 0, stream>>>(offsets_.data(), count, blocks, text_of_block_.data());
    cuda::check_launch("find_text_of_block");
    view_ = {text_.data(), offset, count, offsets_.data(), text_of_block_.data()};
}

DevicePatterns::DevicePatterns(const PatternPool& pool) : bytes_(cuda::to_device(std::span<const char>(pool.bytes()))) {
    std::vector<PatternShape> shapes;
    for (std::uint32_t p = 0; p < pool.size(); ++p) shapes.push_back(shape_of(pool, p));
    shapes_ = cuda::to_device(std::span<const PatternShape>(shapes));
}

PatternShape DevicePatterns::shape_of(const PatternPool& pool, std::uint32_t p) {
    return {static_cast<std::uint32_t>(pool.begin(p) / PatternPool::alignment),
            static_cast<std::uint32_t>(pool.text(p).size())};
}

}  // namespace sluice::substrings
