// Checks that a subscriber gets its messages once each and in order.
#pragma once

#include <cstdint>

namespace sluice::fanout {

class DeliveryOrder {
public:
    // Its next messages are `next`, `next` + `stride`, and so on.
    void expect(std::uint64_t next, std::uint64_t stride) {
        next_ = next;
        stride_ = stride;
    }
    std::uint64_t next() const { return next_; }

    // Returns whether `number` is the next message.
    bool take(std::uint64_t number) {
        if (number == next_) {
            next_ += stride_;
            return true;
        }
        if (number % stride_ != next_ % stride_) {
            ++foreign_;
        } else if (number < next_) {
            ++late_;
        } else {
            missed_ += (number - next_) / stride_;
            next_ = number + stride_;
        }
        return false;
    }

    std::uint64_t missed() const { return missed_; }    // lost, or out of order: then they are late, too
    std::uint64_t late() const { return late_; }        // repeated or out of order
    std::uint64_t foreign() const { return foreign_; }  // for other subscribers

private:
    std::uint64_t next_ = 0, stride_ = 1;
    std::uint64_t missed_ = 0, late_ = 0, foreign_ = 0;
};

}  // namespace sluice::fanout
