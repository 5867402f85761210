#include "gpu/operators/alignment/striped.hpp"

#include <algorithm>

namespace sluice::alignment {

namespace {

// Short queries leave wide vectors too few segments; up to this many letters narrower vectors are faster.
constexpr std::size_t narrow_max = 128;
// Work between two calls of `progress`.
constexpr std::size_t cells_a_call = 200'000'000, columns_a_call_min = 1024;

}  // namespace

StripedAligner::StripedAligner(const Scheme& scheme, ScoreTables& tables, InstructionSet set)
    : scheme_(scheme),
      tables_(tables),
      kernels_(lane_kernels_of(set)),
      narrow_kernels_(lane_kernels_of(std::min(set, InstructionSet::avx2))) {}

std::size_t StripedAligner::column_bytes(const Scheme& scheme, std::size_t query_length) {
    return (3 + static_cast<std::size_t>(scheme.letters)) * sizeof(std::int16_t) * query_length;
}

StripedTask StripedAligner::task(Codes query, Codes text, std::int32_t threshold) {
    StripedTask task;
    task.tables = &tables_;
    task.letters = scheme_.letters;
    task.query = query.data();
    task.rows = query.size();
    task.text = text.data();
    task.text_length = task.stop = text.size();
    task.threshold = threshold;
    task.state = state_.reserve(StripedTask::state_bytes(query.size(), scheme_.letters));
    task.h = static_cast<std::int32_t*>(columns_.reserve(2 * query.size() * sizeof(std::int32_t)));
    task.e = task.h + query.size();
    return task;
}

// Returns false if only wider lanes could continue.
bool StripedAligner::run(StripedTask& task, bool bytes_only, const Progress& progress) {
    const LaneKernels& kernels = task.rows <= narrow_max ? narrow_kernels_ : kernels_;
    for (const LaneWidth* width : {&kernels.bytes, &kernels.words, &kernels.longs}) {
        if (width == &kernels.bytes && !tables_.bytes_fit) continue;
        if (width != &kernels.bytes && bytes_only) return false;
        if (width != &kernels.bytes) tables_.widen(scheme_);
        do {
            const std::size_t before = task.column;
            if (progress)
                task.stop = std::min(before + std::max(columns_a_call_min, cells_a_call / task.rows), task.text_length);
            width->striped(task);
            if (progress && !progress((task.column - before) * task.rows)) return true;
        } while (task.column == task.stop && !task.done());
        if (task.done()) return true;
    }
    return false;
}

std::int32_t StripedAligner::score(Codes query, Codes text, std::int32_t threshold) {
    if (query.empty() || text.empty()) return 0;
    StripedTask t = task(query, text, threshold);
    run(t, false, {});
    return t.best;
}

std::optional<EndPoint> StripedAligner::align(Codes query, Codes text, bool bytes_only, const Progress& progress) {
    if (query.empty() || text.empty()) return EndPoint{};
    StripedTask t = task(query, text, INT32_MAX);
    t.places = true;
    if (!run(t, bytes_only, progress)) return std::nullopt;
    return EndPoint{t.best, t.query_end, t.text_end};
}

}  // namespace sluice::alignment
