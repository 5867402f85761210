// Owns the texts of values that are not simply a piece of a document. Belongs to the owner of the values; one thread at
// a time.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "gpu/check/check.hpp"

namespace sluice::feed {

class TextArena {
public:
    // The address is stable until clear().
    std::string_view keep(std::string text) {
        if (!texts_) texts_ = std::make_unique<std::deque<std::string>>();
        bytes_ += text.capacity();
        return texts_->emplace_back(std::move(text));
    }

    // The number of texts; the texts from the `count`th on are dropped.
    std::size_t count() const { return texts_ ? texts_->size() : 0; }
    void keep_first(std::size_t count) {
        SLUICE_CHECK(count <= this->count());
        for (; this->count() > count; texts_->pop_back()) bytes_ -= texts_->back().capacity();
    }

    void clear() {
        if (texts_) texts_->clear();
        bytes_ = 0;
    }
    std::size_t bytes() const { return bytes_; }

private:
    std::unique_ptr<std::deque<std::string>> texts_;  // null until first used: even an empty deque allocates
    std::size_t bytes_ = 0;
};

}  // namespace sluice::feed
