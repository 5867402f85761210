#include "gpu/operators/alignment/rows.hpp"

#include <algorithm>

#include "gpu/operators/alignment/many.hpp"
#include "gpu/operators/alignment/rows_kernel.hpp"

namespace sluice::alignment {

namespace {

constexpr std::int32_t minus_infinity = -(1 << 30);

void run_rows_plain(RowsTask& task) {
    const std::size_t n = task.text.size();
    const int first = task.scheme.gap_first, further = task.scheme.gap_further;
    std::int32_t *h = task.h.data() + RowsTask::margin, *f = task.f.data() + RowsTask::margin;
    for (std::size_t i = 1; i <= task.query.size(); ++i) {
        const auto& scores = task.scheme.scores[task.query[i - 1]];
        std::int32_t diagonal = task.left_border(i - 1), e = task.left_border(i) - first;
        for (std::size_t j = 0; j < n; ++j) {
            std::int32_t cell = std::max({diagonal + scores[task.text[j]], e, f[j]});
            if (task.local) cell = std::max(cell, 0);
            diagonal = h[j];
            h[j] = cell;
            e = std::max(e - further, cell - first);
            f[j] = std::max(f[j] - further, cell - first);
            if (task.track_best && cell > task.best.score)
                task.best = {cell, static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j + 1)};
        }
        if (i % 64 == 0 && task.progress && !task.progress(64 * n)) return;
    }
}

void run_rows(RowsTask& task) {
    const std::size_t n = task.text.size();
    task.h.assign(n + 2 * RowsTask::margin, 0);
    task.f.assign(n + 2 * RowsTask::margin, 0);
    for (std::size_t j = 0; j < n; ++j) {
        const auto above = task.local ? 0 : static_cast<std::int32_t>(-task.scheme.gap_cost(j + 1));
        task.h[RowsTask::margin + j] = above;
        task.f[RowsTask::margin + j] = above - task.scheme.gap_first;
    }
#ifdef SLUICE_X86_KERNELS
    if (best_instruction_set() == InstructionSet::avx512) return avx512::run_rows(task);
#endif
    run_rows_plain(task);
}

}  // namespace

EndPoint align_rows(const Scheme& scheme, Mode mode, Codes query, Codes text, const Progress& progress) {
    const bool local = mode == Mode::local;
    if (query.empty() || text.empty()) return reference_align(scheme, mode, query, text);
    RowsTask task(scheme, query, text, local, local, scheme.gap_first, progress);
    run_rows(task);
    if (local) return task.best;
    return {task.h[RowsTask::margin + text.size() - 1], static_cast<std::uint32_t>(query.size()),
            static_cast<std::uint32_t>(text.size())};
}

EndPoint align_from_start(const Scheme& scheme, Codes query, Codes text, const Progress& progress) {
    RowsTask task(scheme, query, text, false, true, scheme.gap_first, progress);
    if (!query.empty() && !text.empty()) run_rows(task);
    return task.best;
}

void last_row(const Scheme& scheme, int left_first, Codes query, Codes text, std::span<std::int32_t> h,
              std::span<std::int32_t> f, const Progress& progress) {
    RowsTask task(scheme, query, text, false, false, left_first, progress);
    run_rows(task);
    const auto begin = static_cast<long>(RowsTask::margin), end = begin + static_cast<long>(text.size());
    h[0] = task.left_border(query.size());
    f[0] = query.empty() ? minus_infinity : h[0];
    std::copy(task.h.begin() + begin, task.h.begin() + end, h.begin() + 1);
    std::transform(task.f.begin() + begin, task.f.begin() + end, f.begin() + 1,
                   [&](std::int32_t below) { return below + scheme.gap_further; });
}

}  // namespace sluice::alignment
