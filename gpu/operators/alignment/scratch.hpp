// A reusable memory block, aligned for vectors. Owned by one thread.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

namespace sluice::alignment {

class Scratch {
public:
    // Returns at least `size` bytes; their previous contents may be lost.
    void* reserve(std::size_t size) {
        size = (size + 63) / 64 * 64;
        if (size > size_) {
            memory_.reset(std::aligned_alloc(64, size));
            size_ = memory_ ? size : 0;
            if (!memory_) throw std::bad_alloc();
        }
        return memory_.get();
    }

private:
    struct Free {
        void operator()(void* p) const { std::free(p); }
    };

    std::unique_ptr<void, Free> memory_;
    std::size_t size_ = 0;
};

}  // namespace sluice::alignment
