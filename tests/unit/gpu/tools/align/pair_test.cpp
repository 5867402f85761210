#include "gpu/tools/align/pair.hpp"

#include <catch2/catch.hpp>

#include "gpu/operators/alignment/on_core.hpp"
#include "tests/unit/gpu/operators/alignment/random_sequences.hpp"

using namespace sluice::alignment;

TEST_CASE("a GPU that there is not is an error, or the core's work where any processor will do", "[alignment]") {
    const auto scheme = Scheme::dna();
    Random random(24);
    const auto query = random_sequence(random, scheme, 40'000), text = mutated(random, scheme, query, 30);
    PairOptions options;
    options.devices = {0, 1000};
    options.processor = Processor::gpu;
    CHECK_THAT(align_pair(scheme, query, text, options).error, Catch::Contains("no "));
    options.processor = Processor::automatic;
    const PairResult result = align_pair(scheme, query, text, options);
    CHECK(result.error.empty());
    CHECK_FALSE(result.on_gpu);
    CHECK(result.end.score == align_on_core(scheme, Mode::local, query, text).score);
    CHECK(result.gpu_error.empty() == !sluice::cuda::why_no_gpu().empty());
}
