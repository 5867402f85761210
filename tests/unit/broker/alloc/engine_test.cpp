// Subscription sets whose allocations fail one after another: what was compiled before keeps its answers.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "broker/core/matching/batch_matcher.hpp"
#include "gpu/api/matcher.hpp"
#include "protocol/filter/filter.hpp"
#include "tests/unit/broker/alloc/failing_allocations.hpp"
#include "tests/unit/broker/support.hpp"

using namespace sluice;
using namespace sluice::broker;

namespace {

using Key = std::pair<std::uint32_t, std::uint32_t>;  // slot and generation

// A set, and what its subscriptions must answer: each accepts the events of one remainder.
class SetTrial {
public:
    explicit SetTrial(engine::Backend backend) : set_(engine::make_subscription_set(backend)) {
        std::vector<std::string> items;
        for (std::size_t i = 0; i < remainders; ++i)
            items.push_back(item(std::to_string(i)) + "<n" + std::to_string(i) + "/>");
        document_ = document(items);
        for (std::size_t i = 0; i < remainders; ++i) events_.push_back({document_, i, stream_, i + 1});
    }

    // Adds and compiles, and takes it back if that fails, as the registry does. Then removes an older one.
    void change(std::uint64_t failing) {
        const std::size_t remainder = changes_ % remainders;
        const std::string n = std::to_string(remainder), name = "a" + std::to_string(changes_++ % 100);
        // With an attribute and a scanned condition that may be new.
        const std::string filter =
            "title = '" + n + "' and not(" + name + ") and count(n" + n + " | //" + name + ") = 1";
        const auto conjunctions = filter::compile_filter(filter).value().conjunctions;
        std::optional<engine::SubscriptionId> id;
        bool compiled = false;
        FailingAllocations::exempt_this_thread(false);
        FailingAllocations::fail_every(failing, true);
        try {
            id = set_->add(conjunctions);
            set_->compile();
            compiled = true;
        } catch (const std::bad_alloc&) {
        }
        if (id && !compiled) set_->remove(*id);
        if (compiled && expected_.size() > 40) {
            set_->remove({expected_.begin()->first.first, expected_.begin()->first.second});
            removed_ = true;
        }
        FailingAllocations::stop();
        FailingAllocations::exempt_this_thread();
        if (std::exchange(removed_, false)) expected_.erase(expected_.begin());
        if (compiled) expected_[{id->slot, id->generation}] = remainder;
        failures_ += FailingAllocations::failed();
    }
    bool answers() {
        const auto program = set_->compile();
        BatchMatcher matcher(BatchLimits{});
        std::map<Key, std::vector<std::size_t>> found;
        for (const engine::Match& match : matcher.match(*program, events_))
            for (std::uint32_t bit = 0; bit < 32; ++bit)
                if ((match.accepted >> bit & 1u) != 0)
                    found[{match.subscription.slot, match.subscription.generation}].push_back(match.word * 32 + bit);
        return set_->size() == expected_.size() && found.size() == expected_.size() &&
               std::all_of(expected_.begin(), expected_.end(), [&](const auto& each) {
                   return found[each.first] == std::vector<std::size_t>{each.second};
               });
    }
    std::size_t failures() const { return failures_; }

private:
    static constexpr std::size_t remainders = 32;

    std::unique_ptr<engine::SubscriptionSet> set_;
    feed::DocumentPtr document_;
    std::shared_ptr<const std::string> stream_ = std::make_shared<const std::string>("s");
    std::vector<feed::Event> events_;
    std::map<Key, std::size_t> expected_;
    std::size_t changes_ = 0, failures_ = 0;
    bool removed_ = false;
};

}  // namespace

TEST_CASE("each allocation of a subscription set may fail", "[alloc]") {
    const engine::Backend backend = GENERATE(engine::Backend::naive, engine::Backend::cpu);
    FailingAllocations::exempt_this_thread();
    for (const int before : {0, 1, 2, 3, 4, 8, 16, 33, 48}) {
        std::uint64_t n = 1;
        for (bool more = true; more; ++n) {
            CAPTURE(backend, before, n);
            SetTrial trial(backend);
            for (int i = 0; i < before; ++i) trial.change(0);
            trial.change(n);
            more = trial.failures() != 0;
            REQUIRE(trial.answers());
            for (int i = 0; i < 3; ++i) trial.change(0);
            REQUIRE(trial.answers());
        }
        CHECK(n > 10);
    }
}
