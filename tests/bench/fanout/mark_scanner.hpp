// Finds each place where a mark is in a stream of bytes that comes in pieces, whatever the frames are around it: the
// same scanner reads server-sent events, replies of HTTP, and the frames of NATS, Redis and MQTT. It looks at few
// bytes, since frames are about equally long: behind a mark it skips as many as have been between any two marks so far,
// less some. If a mark were skipped by that, its message would count as lost, so this can make no figure look better.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string_view>

namespace sluice::fanout {

class MarkScanner {
public:
    static constexpr std::size_t kept_most = 64;  // bytes of a piece that the next one may complete

    // `mark`: not empty, and outlives this. `behind`: how many of the bytes behind it are wanted.
    MarkScanner(std::string_view mark, std::size_t behind) : mark_(mark), wanted_(mark.size() + behind) {
        if (mark.empty() || wanted_ > kept_most) throw std::logic_error("such a mark can't be looked for");
    }

    // Calls found() with the bytes behind each mark. In front of `data` must be kept_most bytes that may be
    // overwritten.
    template <typename Found>
    void scan(char* data, std::size_t size, const Found& found) {
        const char* const end = data + size;
        std::memcpy(data - kept_size_, kept_.data(), kept_size_);
        const char* at = data - kept_size_;
        while (true) {
            const std::size_t skipped = std::min(skip_, static_cast<std::size_t>(end - at));
            at += skipped;
            skip_ -= skipped;
            const auto left = static_cast<std::size_t>(end - at);
            const auto* const hit = static_cast<const char*>(::memmem(at, left, mark_.data(), mark_.size()));
            if (hit == nullptr) {
                at = end - std::min(left, mark_.size() - 1);  // the mark may have begun
                break;
            }
            at = hit;
            if (static_cast<std::size_t>(end - hit) < wanted_) break;
            note_distance(passed_ + (hit - data));
            found(std::string_view(hit + mark_.size(), wanted_ - mark_.size()));
            at += wanted_;
            skip_ = skippable_;
        }
        kept_size_ = static_cast<std::size_t>(end - at);
        std::memcpy(kept_.data(), at, kept_size_);
        passed_ += static_cast<std::int64_t>(size);
    }

private:
    // Frames differ by the digits of numbers, and by what is between them.
    void note_distance(std::int64_t position) {
        constexpr std::size_t slack = 64;
        if (last_ >= 0) nearest_ = std::min(nearest_, static_cast<std::size_t>(position - last_));
        if (last_ >= 0) skippable_ = nearest_ > wanted_ + slack ? nearest_ - wanted_ - slack : 0;
        last_ = position;
    }

    std::string_view mark_;
    std::size_t wanted_;  // bytes, with the mark
    std::array<char, kept_most> kept_{};
    std::size_t kept_size_ = 0;
    std::int64_t passed_ = 0;  // bytes of earlier pieces
    std::int64_t last_ = -1;   // where the last mark was
    std::size_t nearest_ = std::numeric_limits<std::size_t>::max();
    std::size_t skippable_ = 0, skip_ = 0;  // behind each mark; still to be skipped
};

}  // namespace sluice::fanout
