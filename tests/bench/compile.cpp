// How long a `compile` keeps its caller while filters of text operators are added: one by one, each visible at once,
// and then all together. One line of JSON for each: the caller's processor time and the wall time per compile (slowest,
// 99th percentile, average) in milliseconds, and the total processor time of all threads.
//   bench_compile [one by one, 10000] [together, 100000]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <thread>

#include "gpu/api/matcher.hpp"
#include "tests/support/exact_workload.hpp"

using namespace sluice;

namespace {

double seconds_of(clockid_t clock) {
    timespec now{};
    clock_gettime(clock, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

enum class Kind : std::uint8_t { contains, approx_contains, matches };
constexpr const char* names[] = {"contains", "approx-contains", "matches"};

// category = '…' and the operator of the title.
engine::Disjunction filter_of(Kind kind, const std::string& pattern, std::size_t number) {
    engine::Predicate asked{"title", engine::Operator::contains, pattern, 0};
    if (kind == Kind::approx_contains)
        asked = {"title",
                 engine::Operator::less_equal,
                 {},
                 2,
                 engine::Measure{engine::Measure::Kind::approx_distance, pattern, "unit", 0, 0}};
    if (kind == Kind::matches)
        asked = {"title",
                 engine::Operator::number_not_equal,
                 {},
                 0,
                 engine::Measure{engine::Measure::Kind::matches, pattern + ".*x", {}, 0, 0}};
    const engine::Predicate category{"category", engine::Operator::equal, "cat" + std::to_string(number % 200), 0};
    return {{category, asked}, {{{0, false}, {1, false}}}};
}

struct Times {
    std::vector<double> busy, wall;

    template <class Work>
    void measure(Work work) {
        const double busy_before = seconds_of(CLOCK_THREAD_CPUTIME_ID), wall_before = seconds_of(CLOCK_MONOTONIC);
        work();
        busy.push_back(1e3 * (seconds_of(CLOCK_THREAD_CPUTIME_ID) - busy_before));
        wall.push_back(1e3 * (seconds_of(CLOCK_MONOTONIC) - wall_before));
    }
};

void print(const char* name, std::vector<double> times) {
    std::sort(times.begin(), times.end());
    double sum = 0;
    for (const double time : times) sum += time;
    std::printf(", \"%s\": {\"max\": %.3f, \"p99\": %.3f, \"mean\": %.4f}", name, times.back(),
                times[times.size() * 99 / 100], sum / static_cast<double>(times.size()));
}

void add(Kind kind, const std::vector<std::string>& patterns, std::size_t step) {
    const auto set = make_subscription_set(engine::Backend::cpu);
    const double all_before = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    std::shared_ptr<const engine::Program> program;
    Times times;
    double adding = 0;
    for (std::size_t i = 0; i < patterns.size();) {
        const double before = seconds_of(CLOCK_THREAD_CPUTIME_ID);
        for (const std::size_t end = std::min(patterns.size(), i + step); i < end; ++i)
            set->add(filter_of(kind, patterns[i], i));
        adding += seconds_of(CLOCK_THREAD_CPUTIME_ID) - before;
        times.measure([&] { program = set->compile(); });
    }
    std::printf("{\"filters\": \"%s\", \"number\": %zu, \"a_compile\": %zu, \"add_us\": %.2f", names[int(kind)],
                patterns.size(), step, 1e6 * adding / static_cast<double>(patterns.size()));
    print("compile_busy_ms", times.busy);
    print("compile_wall_ms", times.wall);
    std::printf(", \"all_threads_s\": %.2f}\n", seconds_of(CLOCK_PROCESS_CPUTIME_ID) - all_before);
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
    const auto number = [&](int i, std::size_t otherwise) {
        return argc > i ? static_cast<std::size_t>(std::atoll(argv[i])) : otherwise;
    };
    const std::string text = substrings::make_text(substrings::Alphabet::english, std::size_t{1} << 20, 1);
    const auto few = substrings::make_patterns(substrings::Alphabet::english, text, number(1, 10'000), 8, 24, 2);
    const auto many = substrings::make_patterns(substrings::Alphabet::english, text, number(2, 100'000), 8, 24, 3);
    for (const Kind kind : {Kind::contains, Kind::approx_contains, Kind::matches}) {
        if (kind == Kind::matches && !engine::invalid_reason({engine::Measure::Kind::matches, "a", {}, 0, 0}).empty())
            continue;
        std::vector<std::string> patterns = few;
        if (kind == Kind::matches) {
            for (std::string& pattern : patterns) std::erase_if(pattern, [](char c) { return c == '.'; });
        }
        add(kind, patterns, 1);
        add(kind, patterns, patterns.size());
    }
    add(Kind::contains, many, many.size());
}
