// Keeps copies of texts together in few blocks of memory, for as long as it lives. Belongs to one thread.
#pragma once

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

namespace sluice::feed {

class TextBlocks {
    static constexpr std::size_t first_bytes = 256, last_bytes = 64u << 10;

public:
    // The most bytes that texts with so many bytes together take: the last block, at most half of the others together,
    // may be nearly empty, and others have less than a quarter left.
    static constexpr std::size_t bytes_max(std::size_t text_bytes) {
        return text_bytes + text_bytes / 3 + std::min(text_bytes, last_bytes) + 8 * first_bytes;
    }

    // The address is stable; the copy is gone with this object.
    std::string_view keep(std::string_view text) {
        if (text.empty()) return {};
        char* const copy = room_for(text.size());
        std::memcpy(copy, text.data(), text.size());
        return {copy, text.size()};
    }

    std::size_t bytes() const { return bytes_ + blocks_.capacity() * sizeof(Block); }

private:
    using Block = std::unique_ptr<char[]>;

    // A text that would take much of a block gets one of its own.
    char* room_for(std::size_t bytes) {
        if (bytes > left_) {
            const std::size_t block_bytes = std::clamp(bytes_ / 2, first_bytes, last_bytes);
            if (bytes >= block_bytes / 4) return add_block(bytes);
            next_ = add_block(block_bytes);
            left_ = block_bytes;
        }
        left_ -= bytes;
        return std::exchange(next_, next_ + bytes);
    }
    char* add_block(std::size_t bytes) {
        blocks_.push_back(std::make_unique_for_overwrite<char[]>(bytes));
        bytes_ += bytes;
        return blocks_.back().get();
    }

    boost::container::small_vector<Block, 2> blocks_;
    char* next_ = nullptr;  // in the last block that is shared
    std::size_t left_ = 0;  // there
    std::size_t bytes_ = 0;
};

}  // namespace sluice::feed
