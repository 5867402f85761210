#include "gpu/operators/alignment/rows.hpp"

#include <algorithm>

#include "gpu/operators/alignment/lanes/rows_kernel.hpp"

namespace sluice::alignment {

namespace {

void run_rows(RowsTask& task, InstructionSet set) {
    const std::size_t n = task.text.size();
    task.h.assign(n + 2 * RowsTask::margin, 0);
    task.f.assign(n + 2 * RowsTask::margin, 0);
    for (std::size_t j = 0; j < n; ++j) {
        const auto above = task.local ? 0 : static_cast<std::int32_t>(-task.scheme.gap_cost(j + 1));
        task.h[RowsTask::margin + j] = above;
        task.f[RowsTask::margin + j] = above - task.scheme.gap_first;
    }
    SLUICE_KERNEL(set, run_rows(task));
}

}  // namespace

EndPoint align_rows(const Scheme& scheme, Mode mode, Codes query, Codes text, const Progress& progress,
                    InstructionSet set) {
    const bool local = mode == Mode::local;
    if (query.empty() || text.empty()) return reference_align(scheme, mode, query, text);
    RowsTask task(scheme, query, text, local, local, scheme.gap_first, progress);
    run_rows(task, set);
    if (local) return task.best;
    return {task.h[RowsTask::margin + text.size() - 1], static_cast<std::uint32_t>(query.size()),
            static_cast<std::uint32_t>(text.size())};
}

EndPoint align_from_start(const Scheme& scheme, Codes query, Codes text, const Progress& progress, InstructionSet set) {
    RowsTask task(scheme, query, text, false, true, scheme.gap_first, progress);
    if (!query.empty() && !text.empty()) run_rows(task, set);
    return task.best;
}

void last_row(const Scheme& scheme, int left_first, Codes query, Codes text, std::span<std::int32_t> h,
              std::span<std::int32_t> f, const Progress& progress, InstructionSet set) {
    RowsTask task(scheme, query, text, false, false, left_first, progress);
    run_rows(task, set);
    const auto begin = static_cast<long>(RowsTask::margin), end = begin + static_cast<long>(text.size());
    h[0] = task.left_border(query.size());
    f[0] = query.empty() ? minus_infinity : h[0];
    std::copy(task.h.begin() + begin, task.h.begin() + end, h.begin() + 1);
    std::transform(task.f.begin() + begin, task.f.begin() + end, f.begin() + 1,
                   [&](std::int32_t below) { return below + scheme.gap_further; });
}

}  // namespace sluice::alignment
