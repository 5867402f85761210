#include "gpu/operators/recurrence/exact_plan.hpp"

#include <catch2/catch.hpp>
#include <map>

using namespace sluice::recurrence;
using namespace sluice::recurrence::cuda;

namespace {

ExactPlan plan_of(const std::vector<std::vector<double>>& series, const std::vector<ExactTask>& tasks) {
    const std::vector<std::span<const double>> spans(series.begin(), series.end());
    return make_plan(spans, tasks, 132);
}

}  // namespace

TEST_CASE("every cell of every question is in one piece of a device's work", "[recurrence]") {
    const std::vector<std::size_t> sizes{1, 5000, 1022, 1023, 40000};
    std::vector<std::vector<double>> series;
    std::vector<ExactTask> tasks;
    for (const std::size_t n : sizes) {
        for (std::size_t q = 0; q < (n == 1022 ? 300u : 3u); ++q)
            tasks.push_back({static_cast<std::uint32_t>(series.size()),
                             {0.5 + static_cast<double>(q), 2, static_cast<std::uint32_t>(q % 65)},
                             {}});
        series.emplace_back(n, 1.0);
    }
    const ExactPlan plan = plan_of(series, tasks);
    REQUIRE(plan.questions.size() == tasks.size());
    std::map<std::uint32_t, std::uint64_t> cells;
    for (const ExactWork& work : plan.work) {
        CHECK(work.rows % plan.rows_together == 0);
        CHECK(work.first_row < work.points);
        CHECK(work.questions > 0);
        CHECK(work.series + work.points <= plan.values.size());
        const std::uint64_t rows = std::min(work.rows, work.points - work.first_row);
        const std::uint64_t columns = std::min(work.own_columns, work.points - work.first_column);
        for (std::uint32_t q = work.first_question; q < work.first_question + work.questions; ++q) {
            cells[q] += rows * columns;
            CHECK(series[tasks[plan.tasks[q]].series].size() == work.points);
            CHECK(plan.questions[q].l_min + work.own_columns <= block_columns);
        }
    }
    for (std::uint32_t q = 0; q < plan.questions.size(); ++q) {
        const std::uint64_t n = series[tasks[plan.tasks[q]].series].size();
        CHECK(cells[q] == n * n);
        CHECK(plan.questions[q].epsilon == tasks[plan.tasks[q]].question.epsilon);
    }
    CHECK(plan.rows_together == 2048);
}

TEST_CASE("a piece of a device's work takes only some milliseconds", "[recurrence]") {
    const ExactPlan plan = plan_of({std::vector<double>(3'000'000, 1.0)}, {{0, {1, 2, 2}, {}}});
    for (const ExactWork& work : plan.work) CHECK(std::uint64_t{work.rows} * block_columns <= std::uint64_t{1} << 31);
    CHECK(plan.work.size() > 4000);
}

TEST_CASE("a device is not asked what it cannot answer", "[recurrence]") {
    const ExactPlan plan = plan_of({{}, {1, 2}}, {{0, {1, 2, 2}, {}},
                                                  {1, {0, 2, 2}, {}},
                                                  {1, {1, 65, 2}, {}},
                                                  {1, {1, 2, 65}, {}},
                                                  {1, {1, 0, 0}, {}},
                                                  {1, {2, 64, 64}, {}}});
    CHECK(plan.tasks == std::vector<std::size_t>{4, 5});
    CHECK(plan.values.size() == 2);
    CHECK(plan.rows_together == 1024);
    CHECK(plan_of({}, {}).work.empty());
}
