// The set when its background threads run out of memory. A program of its own, since it replaces the allocation
// functions: allocations on any thread but the test's fail once the allowance is spent.
#include "gpu/cpu/cpu_set.hpp"

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <new>
#include <thread>

#include "gpu/cpu/accelerator.hpp"
#include "tests/support/eventually.hpp"

namespace {

constexpr long unlimited = 1L << 60;
std::atomic<long> allowance = unlimited;
thread_local bool is_exempt = false;

}  // namespace

void* operator new(std::size_t size) {
    if (!is_exempt && allowance.fetch_sub(1) <= 0) throw std::bad_alloc();
    void* memory = std::malloc(std::max<std::size_t>(size, 1));
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
    if (!is_exempt && allowance.fetch_sub(1) <= 0) return nullptr;
    return std::malloc(std::max<std::size_t>(size, 1));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }

using namespace sluice;
using namespace sluice::cpu;

namespace {

// The number of matches of an event whose only value is that of x.
std::size_t matches(const engine::Program& program, const std::string& text) {
    engine::EventBatch batch;
    const auto& names = program.attributes()->names;
    const auto x = std::find(names.begin(), names.end(), "x") - names.begin();
    batch.values.push_back({static_cast<std::uint32_t>(x), text, 0});
    batch.end_event();
    std::vector<engine::Match> found;
    program.match(batch, found);
    return found.size();
}

// Keeps other threads in mirror(), that is at the end of a merge, until they may go on.
class HeldMerges final : public Accelerator {
public:
    void mirror(const Segment&) noexcept override {
        if (std::this_thread::get_id() == owner_) return;
        std::unique_lock lock(mutex_);
        is_held_ = true;
        may_go_on_.wait(lock, [&] { return is_released_; });
    }
    void keep(std::span<const ProgramPart> parts) override { parts_ = parts.size(); }
    void match(std::span<const ProgramPart> parts, const engine::EventBatch& batch, ScanCache& scans,
               Segment::Scratch& scratch, std::vector<engine::Match>& matches) override {
        for (const ProgramPart& part : parts) part.segment->match(batch, part.removed.get(), scans, scratch, matches);
    }
    engine::EngineStatus status() const override { return {}; }

    bool holds() {
        const std::lock_guard lock(mutex_);
        return is_held_;
    }
    void release() {
        const std::lock_guard lock(mutex_);
        is_released_ = true;
        may_go_on_.notify_all();
    }
    std::size_t parts() const { return parts_; }  // of the last program

private:
    const std::thread::id owner_ = std::this_thread::get_id();
    std::mutex mutex_;
    std::condition_variable may_go_on_;
    bool is_held_ = false, is_released_ = false;
    std::size_t parts_ = 0;
};

class Fixture {
public:
    explicit Fixture(std::shared_ptr<Accelerator> accelerator = nullptr) : set_(make_cpu_set(std::move(accelerator))) {
        is_exempt = true;
    }
    ~Fixture() { allowance = unlimited; }

    void add(std::size_t count, const std::string& prefix, std::size_t names = 1) {
        for (std::size_t i = 0; i < count; ++i) {
            const std::string name = prefix + std::to_string(ids_.size() % names),
                              text = std::to_string(ids_.size() % 100);
            ids_.push_back(
                set_->add({{{"x", engine::Operator::equal, text, 0}, {name, engine::Operator::equal, "none", 0}},
                           {{{0, false}}, {{1, false}}}}));
            if (text == "7") ++expected_;
        }
        program_ = set_->compile();
    }
    void remove_some(std::size_t begin, std::size_t step) {
        for (std::size_t i = begin; i < ids_.size(); i += step) {
            if (set_->remove(ids_[i]) && i % 100 == 7) --expected_;
        }
    }
    bool answers_right() { return matches(*(program_ = set_->compile()), "7") == expected_; }
    // Compiles until `done`, and checks each answer.
    template <class Done>
    void compile_until(Done done) {
        EVENTUALLY([&] {
            if (done()) return true;
            REQUIRE(answers_right());
            return false;
        }());
    }

    engine::SubscriptionSet& set() { return *set_; }
    const engine::Program& program() const { return *program_; }

private:
    std::unique_ptr<engine::SubscriptionSet> set_;
    std::shared_ptr<const engine::Program> program_ = set_->compile();
    std::vector<engine::SubscriptionId> ids_;
    std::size_t expected_ = 0;  // the number of living subscriptions that match the text 7
};

}  // namespace

// Fails at the first allocation, a little later, and in the middle of the merge.
TEST_CASE_METHOD(Fixture, "a merge that runs out of memory is tried again, and loses nothing") {
    const long allowed = GENERATE(0L, 5L, 50L, 200L);  // a merge makes some 700
    INFO(allowed << " allocations");
    allowance = allowed;
    add(3000, "a");
    add(7000, "a");  // too many for an inline merge, and enough for one after the removals, too
    remove_some(static_cast<std::size_t>(allowed) % 7, 11);
    compile_until([&] { return set().status().background_failures >= 2; });
    allowance = unlimited;
    remove_some(static_cast<std::size_t>(allowed) % 5, 13);
    add(100, "a");
    compile_until([&, compiles = 0]() mutable { return ++compiles > 40; });
}

TEST_CASE("what is removed during a merge, without memory to note it, is not in the result") {
    const auto merges = std::make_shared<HeldMerges>();
    Fixture fixture(merges);
    fixture.add(3000, "a");
    fixture.add(7000, "a");
    fixture.compile_until([&] { return merges->holds(); });
    is_exempt = false;
    allowance = 0;
    fixture.remove_some(7, 1000);
    allowance = unlimited;
    is_exempt = true;
    merges->release();
    fixture.compile_until([&] { return merges->parts() == 1; });
    CHECK(fixture.answers_right());
    fixture.add(100, "b");  // in slots that have become free
    fixture.remove_some(7, 500);
    CHECK(fixture.answers_right());
}

// Only a renewal drops names, and it must wait for memory.
TEST_CASE_METHOD(Fixture, "a renewal of the names that runs out of memory is tried again") {
    add(3000, "kept", 5000);
    const std::uint64_t epoch = program().attributes()->epoch;
    allowance = 100;
    add(5000, "other", 5000);
    remove_some(1, 2);
    compile_until([&] { return set().status().background_failures >= 2; });
    CHECK(program().attributes()->epoch == epoch);
    allowance = unlimited;
    compile_until([&] { return program().attributes()->epoch > epoch; });
    CHECK(answers_right());
}

TEST_CASE("names that fall out of use during a renewal are dropped by the next one") {
    const auto merges = std::make_shared<HeldMerges>();
    Fixture fixture(merges);
    fixture.add(5000, "a", 5000);
    fixture.compile_until([&] { return merges->holds(); });
    fixture.remove_some(1, 1);
    merges->release();
    fixture.compile_until([&] { return fixture.program().attributes()->names.size() < 10; });
    CHECK(fixture.answers_right());
}

TEST_CASE_METHOD(Fixture,
                 "background work waits for room, and what removed subscriptions take counts until it is done") {
    std::size_t asked = 0;
    bool has_room = false;
    set().ask_for_room([&](std::size_t bytes) {
        CHECK(bytes > 0);
        ++asked;
        return has_room;
    });
    const std::size_t empty = set().memory_bytes();
    add(3000, "a", 100);
    const std::size_t before = set().memory_bytes();
    CHECK(before > empty + 3000 * 64);
    remove_some(0, 2);
    compile_until([&] { return asked >= 3; });
    CHECK(set().memory_bytes() >= before);
    has_room = true;
    compile_until([&] { return set().memory_bytes() < before * 3 / 4; });
}
