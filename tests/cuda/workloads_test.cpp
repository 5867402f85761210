// The benchmark's workloads: the CUDA backend finds the same matches as the CPU.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <utility>

#include "tests/bench/matcher_workload.hpp"
#include "tests/cuda/on_device.hpp"
#include "tests/support/exact_workload.hpp"
#include "tests/support/written_filter.hpp"

namespace sluice::bench {

namespace {

Tally tally(const Workload& workload, engine::Backend backend, std::size_t batch_size) {
    engine::EngineOptions options;
    options.backend = backend;
    options.device_rows_min = 1;
    const auto set = engine::make_subscription_set(options);
    std::vector<std::uint32_t> number_of_slot;
    for (std::uint32_t i = 0; i < workload.subscriptions(); ++i) {
        const engine::SubscriptionId id = set->add(workload.filter(i));
        number_of_slot.resize(std::max<std::size_t>(number_of_slot.size(), id.slot + 1));
        number_of_slot[id.slot] = i;
    }
    const auto program = set->compile();
    Tally sum;
    std::vector<engine::Match> matches;
    for (std::size_t first = 0; first < workload.events(); first += batch_size) {
        const std::size_t count = std::min(batch_size, workload.events() - first);
        matches.clear();
        program->match(workload.batch(first, count, *program->attributes()), matches);
        sum.count(matches, number_of_slot, first);
    }
    CHECK(set->status().faults.empty());
    return sum;
}

// Substrings of one to 40 letters of texts of 20 bytes to 20 KiB: alone, with a range, negated and in disjunctions.
std::vector<engine::Disjunction> substring_filters(const std::vector<std::string>& operands) {
    std::vector<engine::Disjunction> filters;
    const auto literal = [&](std::size_t i, bool negated) {
        constexpr engine::Operator operators[] = {engine::Operator::contains, engine::Operator::contains,
                                                  engine::Operator::starts_with, engine::Operator::ends_with};
        return testing::WrittenLiteral{{i % 5 == 0 ? "title" : "body", operators[i % 4], operands[i % operands.size()]},
                                       negated};
    };
    for (std::size_t i = 0; i < operands.size(); ++i) {
        const testing::WrittenLiteral range{{"n", engine::Operator::less, "", static_cast<double>(i % 100)}, false};
        if (i % 7 == 0)
            filters.push_back(testing::disjunction_of({{literal(i, true), literal(i + 1, true)}}));
        else if (i % 7 == 1)
            filters.push_back(
                testing::disjunction_of({{literal(i, false), literal(3 * i, true)}, {literal(2 * i, false), range}}));
        else
            filters.push_back(testing::disjunction_of({{literal(i, false)}}));
    }
    return filters;
}

// (subscription, event), ascending.
std::vector<std::pair<std::uint32_t, std::uint32_t>> matches_of(engine::Backend backend,
                                                                const std::vector<engine::Disjunction>& filters,
                                                                const std::string& text) {
    engine::EngineOptions options;
    options.backend = backend;
    options.device_rows_min = 1;
    const auto set = engine::make_subscription_set(options);
    for (const engine::Disjunction& filter : filters) set->add(filter);
    const auto program = set->compile();
    const auto& names = program->attributes()->names;
    const auto id = [&](const char* name) {
        return static_cast<std::uint32_t>(std::find(names.begin(), names.end(), name) - names.begin());
    };
    engine::EventBatch batch;
    std::size_t at = 0;
    for (std::size_t e = 0; e < engine::EventBatch::events_max; ++e) {
        const std::size_t size = 20 + e * 7919 % (e % 3 == 0 ? 20'000 : 4'000), begin = at % (text.size() - 20'100);
        at += size + 13;
        std::vector<engine::Value> values{{id("body"), std::string_view(text).substr(begin, size), std::nan("")},
                                          {id("title"), std::string_view(text).substr(begin, 60), std::nan("")},
                                          {id("n"), "50", 50.0}};
        std::sort(values.begin(), values.end(),
                  [](const engine::Value& a, const engine::Value& b) { return a.attribute < b.attribute; });
        batch.values.insert(batch.values.end(), values.begin(), values.end());
        batch.end_event();
    }
    std::vector<engine::Match> matches;
    program->match(batch, matches);
    CHECK(set->status().faults.empty());
    if (backend == engine::Backend::cuda) CHECK(set->status().devices.at(0).batches == 1);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> found;
    for (const engine::Match& match : matches) {
        for (std::uint32_t bit = 0; bit < 32; ++bit)
            if ((match.accepted >> bit & 1) != 0) found.emplace_back(match.subscription.slot, 32 * match.word + bit);
    }
    std::sort(found.begin(), found.end());
    return found;
}

}  // namespace

TEST_CASE("long texts, matched in parts: cuda's matches are cpu's", "[cuda]") {
    if (!testing::has_device()) return;
    for (const auto alphabet : {substrings::Alphabet::english, substrings::Alphabet::dna}) {
        const std::string text = substrings::make_text(alphabet, std::size_t{3} << 20, 5);
        auto operands =
            substrings::make_patterns(alphabet, text, 3000, alphabet == substrings::Alphabet::dna ? 6 : 3, 40, 6);
        operands.emplace_back("t");
        operands.emplace_back("GA");
        const auto filters = substring_filters(operands);
        const auto expected = matches_of(engine::Backend::cpu, filters, text);
        CHECK(expected.size() > 10'000);
        CHECK(matches_of(engine::Backend::cuda, filters, text) == expected);
    }
}

TEST_CASE("workloads: cuda's checksums are cpu's, in batches of any size", "[cuda]") {
    if (!testing::has_device()) return;
    for (const char* name : {"W1", "W2", "W3", "W4", "W5", "W6", "W7", "W8"}) {
        INFO(name);
        const Workload workload = generate(name, 20'000, 1000);
        const Tally cpu = tally(workload, engine::Backend::cpu, 1000);
        for (const std::size_t batch_size : {1u, 32u, 1000u})
            CHECK(tally(workload, engine::Backend::cuda, batch_size) == cpu);
    }
}

}  // namespace sluice::bench
