// bench_contains_gpu: many `contains` over long texts, through the engine: 10,000 subscriptions contains(body,
// pattern), batches of bodies, from the batch in host memory to the matches: on one core, on a device, and chosen batch
// by batch. One line of JSON for each alphabet, size of a body and number of events: medians, in microseconds.
//   bench_contains_gpu [patterns, 10000] [samples, 21]
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <thread>
#include <vector>

#include "gpu/api/matcher.hpp"
#include "tests/support/exact_workload.hpp"
#include "tests/support/written_filter.hpp"

namespace sluice::bench {

namespace {

using substrings::Alphabet;

struct Time {
    double wall_us, processor_us;  // the calling thread's

    static Time now() {
        timespec processor{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &processor);
        const auto wall = std::chrono::steady_clock::now().time_since_epoch();
        return {std::chrono::duration<double, std::micro>(wall).count(),
                static_cast<double>(processor.tv_sec) * 1e6 + static_cast<double>(processor.tv_nsec) * 1e-3};
    }
};

struct Engine {
    const char* name;
    std::unique_ptr<engine::SubscriptionSet> set;
    std::shared_ptr<const engine::Program> program;
    std::vector<double> wall_us, processor_us;
    std::size_t matches = 0;
};

Engine make_engine(const char* name, engine::Backend backend, const std::vector<std::string>& patterns) {
    Engine engine{name, engine::make_subscription_set(backend), nullptr, {}, {}};
    for (const std::string& pattern : patterns)
        engine.set->add(testing::disjunction_of({{{{"body", engine::Operator::contains, pattern}, false}}}));
    engine.set->compile();
    // Segments that are merged and copied in the background take effect in a later program.
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    engine.program = engine.set->compile();
    return engine;
}

double median(std::vector<double>& times) {
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::nth_element(times.begin(), middle, times.end());
    return *middle;
}

// `all`: the bodies, one after the other, and more text like them, from which every second pattern is cut.
void measure(Alphabet alphabet, const std::string& all, const std::vector<std::string>& operands,
             std::size_t body_bytes, std::size_t events, int samples) {
    constexpr int warm_up = 12;
    std::vector<Engine> engines;
    engines.push_back(make_engine("cpu", engine::Backend::cpu, operands));
    engines.push_back(make_engine("cuda", engine::Backend::cuda, operands));
    engines.push_back(make_engine("auto", engine::Backend::automatic, operands));
    engine::EventBatch batch;
    for (std::size_t e = 0; e < events; ++e) {
        batch.values.push_back({0, std::string_view(all).substr(e * body_bytes, body_bytes), std::nan("")});
        batch.end_event();
    }
    std::vector<engine::Match> matches;
    for (int i = 0; i < warm_up + samples; ++i) {
        for (Engine& engine : engines) {
            matches.clear();
            const Time begin = Time::now();
            engine.program->match(batch, matches);
            const Time end = Time::now();
            engine.matches = 0;
            for (const engine::Match& match : matches)
                engine.matches += static_cast<std::size_t>(__builtin_popcount(match.accepted));
            if (i < warm_up) continue;
            engine.wall_us.push_back(end.wall_us - begin.wall_us);
            engine.processor_us.push_back(end.processor_us - begin.processor_us);
        }
    }
    std::printf("{\"alphabet\": \"%s\", \"patterns\": %zu, \"body_bytes\": %zu, \"events\": %zu, \"matches\": %zu",
                substrings::name_of(alphabet), operands.size(), body_bytes, events, engines.front().matches);
    for (Engine& engine : engines) {
        std::printf(", \"%s\": {\"us\": %.0f, \"processor_us\": %.0f}", engine.name, median(engine.wall_us),
                    median(engine.processor_us));
        if (engine.matches != engines.front().matches) std::printf(", \"WRONG\": %zu", engine.matches);
    }
    std::printf(", \"cpu_to_cuda\": %.2f}\n", median(engines[0].wall_us) / median(engines[1].wall_us));
    std::fflush(stdout);
}

}  // namespace

}  // namespace sluice::bench

int main(int argc, char** argv) {
    using namespace sluice::bench;
    const auto patterns = static_cast<std::size_t>(argc > 1 ? std::atoi(argv[1]) : 10'000);
    const int samples = argc > 2 ? std::atoi(argv[2]) : 21;
    constexpr std::size_t bytes = std::size_t{16} << 20;
    for (const auto alphabet : {sluice::substrings::Alphabet::letters, sluice::substrings::Alphabet::english}) {
        const std::string all = sluice::substrings::make_text(alphabet, bytes, 1);
        const auto operands = sluice::substrings::make_patterns(alphabet, all, patterns, 8, 32, 3);
        for (const std::size_t body_bytes : {200u, 1024u, 8192u, 65536u}) {
            for (const std::size_t events : {32u, 256u, 1024u}) {
                if (body_bytes * events <= bytes) measure(alphabet, all, operands, body_bytes, events, samples);
            }
        }
    }
}
