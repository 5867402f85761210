#include "gpu/cpu/segment/observed_shares.hpp"

#include <catch2/catch.hpp>
#include <limits>

#include "gpu/cpu/segment/access.hpp"
#include "gpu/cpu/segment/segment_builder.hpp"
#include "tests/support/written_filter.hpp"

using namespace sluice;
using namespace sluice::cpu;

namespace {

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

engine::LiteralCode equal(engine::PredicateTables& tables, std::uint32_t name, const std::string& text) {
    return tables.intern(engine::Term{engine::Family::equal, {}, text, 0, 0}, name);
}

testing::WrittenLiteral equals(const std::string& attribute, const std::string& text) {
    return {{attribute, engine::Operator::equal, text, 0}, false};
}

}  // namespace

TEST_CASE("observed shares: what holds often, seldom and never") {
    engine::PredicateTables tables;
    const engine::LiteralCode always = equal(tables, 0, "x"), seldom = equal(tables, 1, "x"),
                              never = equal(tables, 1, "z");
    const engine::LiteralCode unknown = equal(tables, 2, "x");
    tables.freeze();
    std::vector<SampledEvent> events;
    for (int i = 0; i < 400; ++i)
        events.emplace_back(std::vector<engine::Value>{{0, "x", no_number}, {1, i % 10 == 0 ? "x" : "y", no_number}},
                            2);
    const ObservedShares shares(tables, events);
    CHECK(shares.of(always, 0.001) > 0.95);
    CHECK(shares.of(seldom, 0.5) == Approx(0.1).margin(0.02));
    CHECK(shares.of(never, 0.01) < 0.001);
    CHECK(shares.of(never, 0.01) > 0);
    CHECK(shares.of(unknown, 0.3) == 0.3);  // no program knew the attribute yet
}

TEST_CASE("observed shares: cells of ranges, counted as events look into them") {
    engine::PredicateTables tables;
    std::vector<engine::LiteralCode> codes;
    for (int i = 0; i < 100; ++i)
        codes.push_back(tables.intern(engine::Term{engine::Family::range, {}, {}, double(i), double(i) + i % 7}, 0));
    tables.freeze();
    std::vector<SampledEvent> events;
    for (int i = 0; i < 500; ++i) {
        const double n = i < 250 ? 50 : i % 130 - 10;
        events.emplace_back(std::vector<engine::Value>{{0, "", n}, {0, "", n + i % 3}}, 1);
    }
    const ObservedShares shares(tables, events);
    for (const engine::LiteralCode code : codes) {
        for (const std::uint32_t width : {1u, 8u}) {
            const RangeCell cell = cell_of(tables.ranges().ranked(code.index()), width);
            std::size_t found = 0;
            engine::EventState state;
            std::vector<engine::Value> values;
            for (const SampledEvent& event : events) {
                event.values(values);
                tables.evaluate(values, state);
                if (const engine::NumberPosition& p = state.positions[0]; p.lo_end > 0) {
                    const std::uint32_t size = width << cell.level;
                    const std::uint32_t first = p.hi_begin / size, last = (p.lo_end - 1) / size;
                    found += cell.cell + 1 >= first && cell.cell <= last ? 1u : 0u;
                }
                tables.forget(state);
            }
            CHECK(shares.of(cell, width, 0) == Approx(static_cast<double>(found) / 516));
        }
    }
}

TEST_CASE("observed shares: a literal that is rare among the subscriptions but in every event leads nowhere") {
    engine::NameTable attributes, scanned;
    std::vector<SampledEvent> events;
    const auto build = [&](std::span<const SampledEvent> observed) {
        SegmentBuilder builder;
        for (std::uint32_t i = 0; i < 20'000; ++i) {
            const bool hot = i % 20 == 0;
            const auto text = [](std::uint32_t n) { return std::to_string(n); };
            const engine::Disjunction filter = testing::disjunction_of(
                {{equals("lang", hot ? "en" : text(i % 500)), equals("region", hot ? "eu" : text(i % 499)),
                  equals("author", text(i * 7919 % 150)), equals("source", text(i * 7907 % 149))}});
            builder.add({i, 0}, engine::normalise(filter), attributes, scanned);
        }
        return builder.build(observed);
    };
    const auto misled = build({});
    for (int i = 0; i < 200; ++i) {
        const std::string author = std::to_string(i % 150), source = std::to_string(i % 149);
        events.emplace_back(
            std::vector<engine::Value>{
                {0, "en", no_number}, {1, "eu", no_number}, {2, author, no_number}, {3, source, no_number}},
            4);
    }
    CHECK(misled->rows_found(events) >= 1000);
    CHECK(misled->rows_expected() == 0);
    const auto chosen = build(events);
    CHECK(chosen->rows_found(events) < 20);
    CHECK(chosen->rows_expected() == chosen->rows_found(events));
}
