// Converts the kernel's findings to scores and end points; two_way_aligner.cu starts the kernel.
#include <algorithm>
#include <utility>

#include "gpu/operators/alignment/cuda/two_way_aligner.hpp"
#include "gpu/operators/alignment/on_core.hpp"
#include "gpu/operators/alignment/rows.hpp"

namespace sluice::alignment {

std::vector<TwoWayAligner::Best> TwoWayAligner::finish_all(cudaStream_t stream) {
    std::vector<Found> found(extents_.empty() ? 0 : found_count_);
    cuda::copy_to_host(std::span(found), static_cast<const Found*>(found_.data()), stream);
    cuda::check(cudaStreamSynchronize(stream), "alignment of pairs by clusters");
    std::vector<Best> all;
    for (const auto& extent : extents_)
        all.push_back(best_of(extent, std::span(found).subspan(extent.first_found, found_of(extent))));
    return all;
}

// Among equal scores, prefers that of the downward direction, whose end point is known.
TwoWayAligner::Best TwoWayAligner::best_of(const Extent& extent, std::span<const Found> found) const {
    Best best;
    for (std::size_t i = 0; i < found.size(); ++i) {
        if (found[i].score <= best.found.score) continue;
        best = {found[i], i < extent.strips};
        if (i < extent.strips || i >= 2 * std::size_t{extent.strips}) continue;
        best.found.row = extent.rows - found[i].row;
        best.found.column = extent.columns - found[i].column;
        best.found.rest = found[i].score;
    }
    return best;
}

// Finds the end point on a CPU core by aligning the rest, which is mostly short.
EndPoint TwoWayAligner::end_of(const Extent& extent, const Best& best) const {
    const Found& found = best.found;
    if (found.score == 0) return {};
    if (best.forward) return {found.score, found.row, found.column};
    if (found.in_gap == 0) {
        const Codes query = extent.query.subspan(found.row), text = extent.text.subspan(found.column);
        for (std::size_t letters = 256;; letters *= 4) {
            const EndPoint end = align_from_start(scheme_, query.first(std::min(letters, query.size())),
                                                  text.first(std::min(letters, text.size())));
            if (end.score >= found.rest) return {found.score, found.row + end.query_end, found.column + end.text_end};
            if (letters >= std::max(query.size(), text.size())) break;
        }
    }
    return align_on_core(scheme_, Mode::local, extent.query, extent.text);
}

std::vector<EndPoint> TwoWayAligner::finish(cudaStream_t stream) {
    const std::vector<Best> all = finish_all(stream);
    std::vector<EndPoint> ends;
    for (std::size_t k = 0; k < extents_.size(); ++k) {
        ends.push_back(end_of(extents_[k], all[k]));
        if (extents_[k].swapped) std::swap(ends.back().query_end, ends.back().text_end);
    }
    return ends;
}

std::vector<std::int32_t> TwoWayAligner::finish_scores(cudaStream_t stream) {
    std::vector<std::int32_t> scores;
    for (const Best& best : finish_all(stream)) scores.push_back(best.found.score);
    return scores;
}

std::vector<EndPoint> TwoWayAligner::align(std::span<const SequencePair> pairs) {
    prepare(pairs);
    const cuda::Stream stream;
    enqueue(stream);
    return finish(stream);
}

std::vector<std::int32_t> TwoWayAligner::scores(std::span<const SequencePair> pairs) {
    prepare(pairs);
    const cuda::Stream stream;
    enqueue(stream);
    return finish_scores(stream);
}

std::size_t TwoWayAligner::device_bytes() const {
    return words_.bytes() + cuts_.bytes() + pairs_.bytes() + found_.bytes();
}

}  // namespace sluice::alignment
