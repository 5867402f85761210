// A text that grows at its end by small pieces: std::string's append(), without its calls. Belongs to one thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include "protocol/bytes/copy.hpp"

namespace sluice::bytes {

class GrowingText {
public:
    GrowingText() = default;
    GrowingText(GrowingText&& other) noexcept { *this = std::move(other); }
    GrowingText& operator=(GrowingText&& other) noexcept {
        bytes_ = std::move(other.bytes_);
        size_ = std::exchange(other.size_, 0);
        capacity_ = std::exchange(other.capacity_, 0);
        return *this;
    }

    std::size_t size() const { return size_; }
    std::size_t capacity() const { return capacity_; }
    std::string_view view() const { return {bytes_.get(), size_}; }
    std::string_view view(std::size_t begin) const { return view().substr(begin); }

    void reserve(std::size_t bytes) {
        if (bytes > capacity_) move_to(bytes);
    }
    // To fewer bytes.
    void shrink(std::size_t size) { size_ = size; }
    void shrink_to_fit() {
        if (capacity_ > size_) move_to(size_);
    }

    void append(char c) {
        make_room(1);
        bytes_[size_++] = c;
    }
    // `text` is not a view of this one.
    void append(std::string_view text) {
        make_room(text.size());
        copy_text(bytes_.get() + size_, text.data(), text.size());
        size_ += text.size();
    }
    // A piece of this text once more.
    void repeat(std::size_t begin, std::size_t size) {
        make_room(size);
        copy_text(bytes_.get() + size_, bytes_.get() + begin, size);
        size_ += size;
    }

private:
    void make_room(std::size_t bytes) {
        if (capacity_ - size_ < bytes) move_to(std::max(2 * capacity_, size_ + bytes));
    }
    void move_to(std::size_t capacity) {
        auto bytes = std::make_unique_for_overwrite<char[]>(capacity);
        if (size_ > 0) std::memcpy(bytes.get(), bytes_.get(), size_);
        bytes_ = std::move(bytes);
        capacity_ = capacity;
    }

    std::unique_ptr<char[]> bytes_;
    std::size_t size_ = 0, capacity_ = 0;
};

}  // namespace sluice::bytes
