// The text of a document while it is repaired: a copy with edits, which knows where each of its places came from. What
// has been written since a mark can be taken back. Belongs to one thread; the source must outlive it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::feed {

class XmlEdits {
public:
    // Beyond this many edits, only the text between later ones keeps its exact place.
    static constexpr std::size_t pieces_max = 100'000;
    static constexpr std::size_t piece_bytes = 4 * sizeof(std::size_t);  // with room for a vector's growth

    // The result stops growing soon after `bytes_max`.
    XmlEdits(std::string_view source, std::size_t bytes_max) : source_(source), bytes_max_(bytes_max) {
        out_.reserve(source.size() + source.size() / 16);
    }

    // Replaces source[begin, end). `begin` is not before an earlier call's `end`.
    void replace(std::size_t begin, std::size_t end, std::string_view with) {
        keep(begin);
        if (!is_over()) out_ += with;
        kept_ = end;
        is_edited_ = true;
    }
    void insert(std::size_t at, std::string_view text) { replace(at, at, text); }

    // The position of source[offset] in the result, where offset is not before the last edit.
    std::size_t position(std::size_t offset) const { return out_.size() + (offset - kept_); }
    // Takes back everything from this position of the result on, which source[begin] led to; source[begin, end) is left
    // out.
    void take_back(std::size_t position, std::size_t end) {
        keep(std::max(end, kept_));
        out_.resize(position);
        while (!pieces_.empty() && pieces_.back().position >= position) pieces_.pop_back();
        is_edited_ = true;
    }
    // Overwrites one character of the result.
    void patch(std::size_t position, char c) { out_[position] = c; }

    std::size_t size() const { return out_.size(); }
    bool is_over() const { return out_.size() > bytes_max_; }
    std::string finish() {
        keep(source_.size());
        return std::move(out_);
    }
    // The place in the source that this position of the result came from. After edits: the end of what they replace.
    std::size_t source_of(std::size_t position) const {
        const auto after = std::upper_bound(pieces_.begin(), pieces_.end(), position,
                                            [](std::size_t at, const Piece& piece) { return at < piece.position; });
        if (after == pieces_.begin()) return std::min(position, source_.size());
        const Piece& piece = *(after - 1);
        const std::size_t limit = after == pieces_.end() ? source_.size() : after->source;
        return std::min(piece.source + (position - piece.position), limit);
    }

private:
    struct Piece {  // of the source, kept as it is
        std::size_t position, source;
    };

    void keep(std::size_t end) {
        if (end <= kept_) return;
        if (is_edited_ && pieces_.size() < pieces_max) pieces_.push_back({out_.size(), kept_});
        is_edited_ = false;
        if (!is_over()) out_.append(source_, kept_, end - kept_);
        kept_ = end;
    }

    std::string_view source_;
    std::size_t bytes_max_;
    std::string out_;
    std::size_t kept_ = 0;  // the source before it is in out_
    bool is_edited_ = true;
    std::vector<Piece> pieces_;
};

}  // namespace sluice::feed
