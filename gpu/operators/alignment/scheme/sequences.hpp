// Encoded sequences, stored one after the other, and the pairs of them to align. Plain values; any thread may read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/operators/alignment/scheme/scheme.hpp"

namespace sluice::alignment {

class SequenceSet {
public:
    void add(Codes sequence) {
        codes_.insert(codes_.end(), sequence.begin(), sequence.end());
        ends_.push_back(codes_.size());
        if (sequence.size() > longest_) longest_ = sequence.size();
    }

    std::size_t size() const { return ends_.size(); }
    std::size_t longest() const { return longest_; }
    std::size_t begin_of(std::size_t i) const { return i == 0 ? 0 : ends_[i - 1]; }
    std::size_t length(std::size_t i) const { return ends_[i] - begin_of(i); }
    Codes operator[](std::size_t i) const { return Codes(codes_).subspan(begin_of(i), length(i)); }
    Codes codes() const { return codes_; }

private:
    std::vector<Code> codes_;
    std::vector<std::size_t> ends_;
    std::size_t longest_ = 0;
};

// Indices into a set of queries and a set of texts.
struct Pair {
    std::uint32_t query, text;
};

}  // namespace sluice::alignment
