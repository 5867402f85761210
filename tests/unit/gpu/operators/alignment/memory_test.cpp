// The memory use of an alignment. A program of its own, since it replaces the allocation functions with counting ones.
#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <malloc.h>
#include <new>

#include "gpu/operators/alignment/striped.hpp"
#include "gpu/tools/align/pair.hpp"
#include "tests/unit/gpu/operators/alignment/random_sequences.hpp"

namespace {

std::atomic<std::size_t> in_use{0}, most_in_use{0};
std::atomic<std::size_t> most_allowed{~std::size_t{0}};

void* allocate(std::size_t size) {
    void* memory = std::malloc(std::max<std::size_t>(size, 1));
    if (memory == nullptr || in_use + malloc_usable_size(memory) > most_allowed) {
        std::free(memory);
        return nullptr;
    }
    in_use += malloc_usable_size(memory);
    most_in_use = std::max(most_in_use.load(), in_use.load());
    return memory;
}

void release(void* memory) {
    if (memory != nullptr) in_use -= malloc_usable_size(memory);
    std::free(memory);
}

}  // namespace

void* operator new(std::size_t size) {
    void* memory = allocate(size);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return allocate(size); }
void operator delete(void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t) noexcept { release(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { release(memory); }

using namespace sluice::alignment;

namespace {

// The peak memory that align_pair() takes beyond the sequences.
std::size_t bytes_of(Codes query, Codes text, Mode mode) {
    PairOptions options;
    options.processor = Processor::cpu;
    options.mode = mode;
    options.trace = true;
    options.threads = 2;  // each takes memory of its own
    const std::size_t before = in_use;
    most_in_use = before;
    const PairResult result = align_pair(Scheme::dna(), query, text, options);
    CHECK(result.error.empty());
    return most_in_use - before;
}

}  // namespace

TEST_CASE("an alignment takes memory that grows with the lengths, not with their product", "[alignment]") {
    Random random(31);
    const std::size_t length = test_rounds(1) > 1 ? 40'000 : 10'000;
    const auto text = random_sequence(random, Scheme::dna(), length);
    const auto query = mutated(random, Scheme::dna(), text, 30);
    constexpr std::size_t traced_directly = std::size_t{1} << 22, a_letter = 64;
    for (const Mode mode : {Mode::local, Mode::global}) {
        const std::size_t bytes = bytes_of(query, text, mode);
        INFO(query.size() << " x " << text.size() << ": " << bytes << " bytes");
        CHECK(bytes < 2 * traced_directly + a_letter * (query.size() + text.size()));
        CHECK(bytes < query.size() * text.size() / 8);
    }
}

TEST_CASE("a striped column takes memory linear in the query, whatever the text", "[alignment]") {
    CHECK(StripedTask::state_bytes(100'000, 5) <= 36 * (100'000 + 64));
    CHECK(StripedAligner::column_bytes(Scheme::dna(), 1000) == 16'000);
}

TEST_CASE("too little memory is an error with the lengths, not an end", "[alignment]") {
    Random random(32);
    const auto text = random_sequence(random, Scheme::dna(), 50'000);
    PairOptions options;
    options.processor = Processor::cpu;
    options.mode = Mode::global;
    most_allowed = in_use + 100'000;
    const PairResult result = align_pair(Scheme::dna(), text, text, options);
    most_allowed = ~std::size_t{0};
    CHECK(result.error == "not enough memory to align 50000 with 50000 letters");
}
