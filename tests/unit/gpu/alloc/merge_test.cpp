// Merges in the background that lack memory: the answers stay right, and smaller merges go on.
#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "gpu/cpu/accelerator.hpp"
#include "gpu/cpu/cpu_set.hpp"
#include "tests/differential/matcher_random.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/failing_allocations.hpp"

using namespace sluice;
using testing::FailingAllocations;

namespace {

// Matches as without an accelerator, and knows the segments of the latest program.
class Watcher final : public cpu::Accelerator {
public:
    void mirror(const cpu::Segment&) noexcept override {}
    void keep(std::span<const cpu::ProgramPart> parts) override {
        sizes_.clear();
        for (const auto& part : parts) sizes_.push_back(part.segment->size());
    }
    void match(std::span<const cpu::ProgramPart> parts, const engine::EventBatch& batch, cpu::ScanCache& scans,
               cpu::Segment::Scratch& scratch, std::vector<engine::Match>& matches) override {
        for (const auto& part : parts) part.segment->match(batch, part.removed.get(), scans, scratch, matches);
    }
    engine::EngineStatus status() const override { return {}; }

    const std::vector<std::size_t>& sizes() const { return sizes_; }

private:
    std::vector<std::size_t> sizes_;
};

// Random subscriptions in a CPU set and a naive one. Only background threads lack memory.
class Sets {
public:
    Sets() {
        FailingAllocations::exempt_this_thread();
        for (int i = 0; i < 33; ++i) events_.push_back(test::random_event(world_, random_));
    }
    ~Sets() {
        FailingAllocations::stop();
        FailingAllocations::exempt_this_thread(false);
    }

    void add(std::size_t count) {
        for (; count > 0; --count) sets_.add(test::random_filter(world_, random_));
        sets_.compile();
    }
    void remove(std::size_t count) {
        for (; count > 0; --count) sets_.remove(random_.below(sets_.size()));
    }
    bool answers() { return sets_.differences(events_) == 0; }
    // Compiles until the segments have these sizes, or until one more background task has failed.
    bool merges_into(const std::vector<std::size_t>& sizes) {
        const std::uint64_t failures = sets_.status().background_failures;
        compile_until([&] { return watcher_->sizes() == sizes || sets_.status().background_failures > failures; });
        return watcher_->sizes() == sizes;
    }
    // The same, however many fail.
    void merge_into(const std::vector<std::size_t>& sizes) {
        compile_until([&] { return watcher_->sizes() == sizes; });
    }

private:
    // Failed work is tried again after some calls of compile().
    template <class Done>
    void compile_until(Done done) {
        EVENTUALLY([&] {
            for (int i = 0; i < 100 && !done(); ++i) sets_.compile();
            return done();
        }());
    }

    test::World world_{.attributes = 30, .texts = 100, .measured_share = 0.05};
    test::Random random_{38};
    std::shared_ptr<Watcher> watcher_ = std::make_shared<Watcher>();
    test::BothSets sets_{cpu::make_cpu_set(watcher_)};
    std::vector<test::RandomEvent> events_;
};

}  // namespace

TEST_CASE("each allocation of a merge in the background may fail", "[alloc]") {
    Sets sets;
    sets.add(400);
    sets.add(900);  // together too many for a merge on the caller's thread
    std::uint64_t n = 0;
    for (bool merged = false; !merged;) {
        FailingAllocations::fail_every(++n, true);
        merged = sets.merges_into({1300});
        FailingAllocations::stop();
        if (n % 16 == 1 || merged) {
            CAPTURE(n);
            REQUIRE(sets.answers());
        }
    }
    CHECK(n > 100);
    sets.remove(100);
    REQUIRE(sets.answers());
}

TEST_CASE("where a large merge lacks memory, smaller ones go on", "[alloc]") {
    Sets sets;
    FailingAllocations::fail_above(100'000);  // bytes; 10,000 subscriptions need an array of 120,000
    sets.add(3000);
    sets.add(7000);
    REQUIRE_FALSE(sets.merges_into({10'000}));
    sets.add(800);
    sets.add(1700);
    sets.merge_into({3000, 7000, 2500});
    REQUIRE(sets.answers());
    FailingAllocations::stop();
    sets.merge_into({12'500});
    REQUIRE(sets.answers());
}
