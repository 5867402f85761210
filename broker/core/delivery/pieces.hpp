// Text to be written at once, without copying its shared parts. Belongs to one thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::broker {

class Pieces {
public:
    void reserve(std::size_t pieces) {
        pieces_.reserve(pieces);
        copied_.reserve(pieces * short_piece);
    }

    // Adds text by reference; it must outlive this object and must not move.
    void share(std::string_view text) {
        if (text.empty()) return;
        pieces_.push_back({text.data(), text.size()});
        bytes_ += text.size();
    }
    void copy(std::string_view text) {
        if (text.empty()) return;
        if (pieces_.empty() || pieces_.back().shared != nullptr) pieces_.push_back({nullptr, 0});
        pieces_.back().size += text.size();
        copied_ += text;
        bytes_ += text.size();
    }

    std::size_t bytes() const { return bytes_; }
    std::size_t size() const { return pieces_.size(); }

    // Calls `add` with each piece's text, in order. The texts are valid until something is added.
    template <typename Add>
    void each(const Add& add) const {
        std::size_t copied = 0;
        for (const Piece& piece : pieces_) {
            if (piece.shared != nullptr) {
                add(std::string_view(piece.shared, piece.size));
            } else {
                add(std::string_view(copied_).substr(copied, piece.size));
                copied += piece.size;
            }
        }
    }

private:
    static constexpr std::size_t short_piece = 16;  // bytes of a usual one that is copied

    struct Piece {
        const char* shared;  // null: the next `size` bytes of copied_
        std::size_t size;
    };

    std::vector<Piece> pieces_;
    std::string copied_;
    std::size_t bytes_ = 0;
};

}  // namespace sluice::broker
