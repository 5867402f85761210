#include "broker/match/batch_matcher.hpp"

#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <string>

#include "protocol/feed/parse.hpp"
#include "protocol/filter/filter.hpp"

using namespace sluice;
using namespace sluice::broker;

namespace {

// The total cost of batches of one document's items, and the number of items that each filter holds for.
struct Taken {
    std::uint64_t bytes_searched = 0, pairs = 0;
    std::vector<std::size_t> holds;
};

Taken match_in_batches(const std::vector<std::string>& filters, const std::string& xml, std::size_t batch_events) {
    const auto set = engine::make_subscription_set(engine::Backend::cpu);
    std::vector<engine::SubscriptionId> ids;
    for (const std::string& text : filters) {
        const auto filter = filter::compile_filter(text);
        REQUIRE(filter.has_value());
        ids.push_back(set->add(filter->disjunction));
    }
    const auto program = set->compile();
    REQUIRE(program->scanned()->names.empty());
    const auto document = feed::parse_document(xml, {});
    REQUIRE(document.has_value());
    const auto stream = std::make_shared<const std::string>("s");
    const std::size_t items = (*document)->items().size();

    BatchMatcher matcher;
    Taken taken{0, 0, std::vector<std::size_t>(filters.size())};
    for (std::size_t first = 0; first < items; first += batch_events) {
        std::vector<feed::Event> events;
        for (std::size_t i = first; i < std::min(items, first + batch_events); ++i)
            events.push_back({*document, i, stream, i + 1});
        for (const engine::Match& match : matcher.match(*program, events)) {
            const auto filter = std::find(ids.begin(), ids.end(), match.subscription) - ids.begin();
            for (std::uint32_t bits = match.accepted; bits != 0; bits &= bits - 1)
                ++taken.holds[static_cast<std::size_t>(filter)];
        }
        matcher.rest();
        taken.bytes_searched += matcher.operator_work().contains.bytes;
        taken.pairs += matcher.operator_work().of(engine::Measure::Kind::edit_distance).pairs;
    }
    return taken;
}

std::string siblings(std::size_t n) {
    std::string xml = "<r>";
    for (std::size_t i = 0; i < n; ++i) xml += "<item><a>yyyy" + std::to_string(i % 10) + "</a></item>";
    return xml + "</r>";
}

}  // namespace

TEST_CASE("conditions on siblings are decided once for all items below an element, however they are batched") {
    const std::vector<std::string> filters = {"contains(.., 'yy3')",
                                              "contains(.., 'zz')",
                                              "../item/a = 'yyyy7'",
                                              "../item/a != 'yyyy7'",
                                              "../../r/item/a > 7",
                                              "edit-distance(../item/a, 'xyyy9') <= 1",
                                              "edit-distance(../item/a, 'xyyyx') <= 1",
                                              "edit-distance(a, 'yyyy') <= 1 and count(../item) > 10"};
    for (const std::size_t n : {1u, 31u, 32u, 33u, 500u, 1000u}) {
        for (const std::size_t batch_events : {1u, 32u, 1000u}) {
            CAPTURE(n, batch_events);
            const Taken taken = match_in_batches(filters, siblings(n), batch_events);
            const std::size_t all = n > 10 ? n : 0;
            CHECK(taken.holds == std::vector<std::size_t>{all, 0, all, n, 0, all, 0, all});
            CHECK(taken.pairs == 2 * n + all);
            CHECK(taken.bytes_searched == 5 * n);
        }
    }
}

TEST_CASE("items below several elements have each the values of their own siblings") {
    const std::string letters(50, 'y');
    std::string xml = "<rss>";
    for (int channel = 0; channel < 40; ++channel) {
        xml += "<channel>";
        for (int i = 0; i < channel; ++i)
            xml += "<item><a>" + letters + std::to_string(channel) + "/" + std::to_string(i) + ".</a></item>";
        xml += "</channel>";
    }
    xml += "</rss>";
    const std::vector<std::string> filters = {"contains(.., 'y7/0.')",
                                              "contains(.., '/20.')",
                                              "../item/a = '" + letters + "7/6.'",
                                              "../../channel/item/a = 'x'",
                                              "../../channel/item/a = '" + letters + "39/38.'",
                                              "count(../item) > 30"};
    const std::size_t items = 40 * 39 / 2;
    for (const std::size_t batch_events : {1u, 32u, 1000u}) {
        const Taken taken = match_in_batches(filters, xml, batch_events);
        CHECK(taken.holds == std::vector<std::size_t>{7, (21 + 39) * 19 / 2, 7, 0, items, (31 + 39) * 9 / 2});
        CHECK(taken.bytes_searched <= items * 60);
    }
}

namespace {

// A compiled filter, and a document's first events.
struct BatchTrial {
    std::shared_ptr<const engine::Program> program;
    std::vector<feed::Event> events;

    BatchTrial(const std::vector<std::string>& filters, const std::string& xml) {
        const auto set = engine::make_subscription_set(engine::Backend::cpu);
        for (const std::string& text : filters) set->add(filter::compile_filter(text)->disjunction);
        program = set->compile();
        feed::DocumentOptions options;
        options.limits.item_values_max = 100'000;
        const auto document = feed::parse_document(xml, options).value();
        const auto stream = std::make_shared<const std::string>("s");
        for (std::size_t i = 0; i < document->items().size(); ++i) events.push_back({document, i, stream, i + 1});
    }
};

using Pairs = std::vector<std::pair<std::uint32_t, std::size_t>>;  // slots and events

Pairs pairs_of(std::span<const engine::Match> matches) {
    Pairs pairs;
    for (const engine::Match& m : matches) {
        for (std::size_t bit = 0; bit < 32; ++bit)
            if ((m.accepted >> bit & 1) != 0) pairs.emplace_back(m.subscription.slot, 32 * m.word + bit);
    }
    std::sort(pairs.begin(), pairs.end());
    return pairs;
}

}  // namespace

TEST_CASE("a batch whose values take much memory is matched in parts, with the same answers") {
    // 4,000 values of each of 16 attributes and event: 3 MB.
    std::vector<std::string> filters = {"n = 3 or n > 45", "n = 11 or n = 40", "edit-distance(n, '2x') <= 1",
                                        "count(*/*/*/*/*/*/*/*/*) = 0 and not(n > 2)"};
    for (int i = 0; i < 8; ++i) {
        const std::string path = i % 2 == 0 ? "a/b" : "a/*";
        const char* const last[] = {"", "/text()", "/@k", "/@*"};
        filters.push_back(path + last[i / 2] + " = 'q'");
        filters.push_back("lower-case(" + path + last[i / 2] + ") = 'q'");
    }
    std::string content = "<a>";
    for (int i = 0; i < 4'000; ++i) content += "<b k='1'>x<c/></b>";
    std::string xml = "<r>";
    for (int i = 0; i < 50; ++i)
        xml += "<item><n>" + std::to_string(i) + "</n>" + (i % 3 != 0 ? content + "</a>" : "") + "</item>";
    BatchTrial trial(filters, xml + "</r>");
    BatchLimits limits;
    limits.scan.condition_steps_max = 1'000;  // not enough for what wide paths read
    base::MemoryBudget memory(1u << 30);
    limits.memory = &memory;
    std::size_t most = 0;
    BatchMatcher matcher(limits, [&](double) { most = std::max(most, memory.used(base::MemoryUse::evaluation)); });
    Pairs matches, undecided;
    for (std::size_t e = 0; e < trial.events.size(); ++e) {
        const auto one = std::span(trial.events).subspan(e, 1);
        for (const auto& [slot, event] : pairs_of(matcher.match(*trial.program, one))) matches.emplace_back(slot, e);
        for (const auto& [slot, event] : pairs_of(matcher.undecided())) undecided.emplace_back(slot, e);
    }
    std::sort(matches.begin(), matches.end());
    std::sort(undecided.begin(), undecided.end());
    CHECK(matcher.values().events.size() == 1);
    CHECK(matches.size() == 19);
    CHECK(undecided == Pairs{{3, 1}, {3, 2}});
    most = 0;
    CHECK(pairs_of(matcher.match(*trial.program, trial.events)) == matches);
    CHECK(pairs_of(matcher.undecided()) == undecided);
    CHECK(matcher.values().events.empty());  // only those of the last part are left
    CHECK(most > 60u << 20);
    CHECK(most < 160u << 20);
    matcher.rest();
    CHECK(memory.used(base::MemoryUse::evaluation) < 5u << 20);
}

TEST_CASE("what an evaluation takes is charged while it takes it") {
    std::string xml = "<r>";
    for (int i = 0; i < 20'000; ++i) xml += "<a>" + std::to_string(i) + "</a>";
    BatchTrial trial({"count(//a | //a/text()) > 7 and //a[. = //a[last()]]"}, "<x><item>" + xml + "</r></item></x>");
    base::MemoryBudget memory(1u << 30);
    BatchLimits limits;
    limits.memory = &memory;
    std::size_t most = 0;
    BatchMatcher matcher(limits, [&](double) { most = std::max(most, memory.used(base::MemoryUse::evaluation)); });
    CHECK(matcher.match(*trial.program, trial.events).size() == 1);
    CHECK(most > 40'000 * 28);
    trial.events.clear();
    matcher.rest();
    CHECK(memory.used(base::MemoryUse::evaluation) < 64u << 10);
}

TEST_CASE("the events of a large document have less time for computed conditions, in every batch") {
    const auto filter = filter::compile_filter("edit-distance(a, '" + std::string(30, 'x') + "', 'typing') >= 0");
    REQUIRE(filter.has_value());
    const auto set = engine::make_subscription_set(engine::Backend::cpu);
    set->add(filter->disjunction);
    const auto program = set->compile();
    const auto stream = std::make_shared<const std::string>("s");
    const auto events_of = [&](std::size_t n) {
        std::string xml = "<r>";
        for (std::size_t i = 0; i < n; ++i) xml += "<item><a>" + std::string(200, 'y') + "</a></item>";
        const auto document = feed::parse_document(xml + "</r>", {});
        REQUIRE(document.has_value());
        std::vector<feed::Event> events;
        for (std::size_t i = 0; i < n; ++i) events.push_back({*document, i, stream, i + 1});
        return events;
    };
    // An event takes 12 us, as estimated. Of the large document, each may take 1 ms / 128.
    BatchLimits limits;
    limits.event_time = std::chrono::milliseconds(1);
    limits.document_time = std::chrono::milliseconds(1);
    const auto large = events_of(100), small = events_of(2);
    std::vector<feed::Event> mixed(large.begin(), large.begin() + 20);
    mixed.insert(mixed.end(), small.begin(), small.end());
    mixed.insert(mixed.end(), large.begin() + 20, large.begin() + 50);
    BatchMatcher matcher(limits);
    const auto count = [](std::span<const engine::Match> matches) {
        std::size_t n = 0;
        for (const engine::Match& match : matches) n += static_cast<std::size_t>(std::popcount(match.accepted));
        return n;
    };
    CHECK(count(matcher.match(*program, small)) == 2);
    CHECK(count(matcher.undecided()) == 0);
    CHECK(count(matcher.match(*program, large)) == 0);
    CHECK(count(matcher.undecided()) == 100);
    const auto matches = matcher.match(*program, mixed);
    REQUIRE(matches.size() == 1);
    CHECK(matches[0].word == 0);
    CHECK(matches[0].accepted == 3u << 20);
    CHECK(count(matcher.undecided()) == 50);
    limits.document_time = BatchLimits::none;
    BatchMatcher unbounded(limits);
    CHECK(count(unbounded.match(*program, mixed)) == 52);
}

TEST_CASE("values that events share have the time of all these events for computed conditions") {
    const auto filter = filter::compile_filter("edit-distance(../b, '" + std::string(30, 'x') + "', 'typing') >= 0");
    REQUIRE(filter.has_value());
    const auto set = engine::make_subscription_set(engine::Backend::cpu);
    set->add(filter->disjunction);
    const auto program = set->compile();
    const auto stream = std::make_shared<const std::string>("s");
    const std::string shared = "<b>" + std::string(200, 'y') + "</b>";  // takes 12 us, as estimated
    BatchLimits limits;
    limits.event_time = std::chrono::milliseconds(1);
    limits.document_time = std::chrono::milliseconds(1);  // of 100 events, each may take 1 ms / 128
    const auto decided = [&](const std::string& xml, std::size_t batch_events) {
        feed::DocumentOptions options;
        options.event_path = "//item";
        const auto document = feed::parse_document(xml, options);
        REQUIRE(document.has_value());
        REQUIRE((*document)->items().size() == 100);
        BatchMatcher matcher(limits);
        std::size_t accepted = 0, undecided = 0;
        const auto count = [](std::span<const engine::Match> matches) {
            std::size_t n = 0;
            for (const engine::Match& match : matches) n += static_cast<std::size_t>(std::popcount(match.accepted));
            return n;
        };
        for (std::size_t first = 0; first < 100; first += batch_events) {
            std::vector<feed::Event> events;
            for (std::size_t i = first; i < first + batch_events; ++i) events.push_back({*document, i, stream, i + 1});
            accepted += count(matcher.match(*program, events));
            undecided += count(matcher.undecided());
        }
        CHECK(accepted + undecided == 100);
        return accepted;
    };
    for (const std::size_t batch_events : {1u, 20u, 100u}) {
        CAPTURE(batch_events);
        std::string of_all = "<r>" + shared, of_one = "<r>", of_four = "<r>";
        for (std::size_t i = 0; i < 100; ++i) {
            of_all += "<item/>";
            of_one += "<part>" + shared + "<item/></part>";
            of_four += (i % 4 == 0 ? "<part>" + shared : std::string()) + "<item/>" + (i % 4 == 3 ? "</part>" : "");
        }
        CHECK(decided(of_all + "</r>", batch_events) == 100);
        CHECK(decided(of_one + "</r>", batch_events) == 0);
        CHECK(decided(of_four + "</r>", batch_events) == 100);
    }
}

TEST_CASE("many cheap conditions are decided as far as a budget goes, the same in every batch") {
    const std::size_t filters = 20, conditions = 50;
    std::vector<std::string> texts;
    for (std::size_t f = 0; f < filters; ++f) {
        std::string text;
        for (std::size_t c = 0; c < conditions; ++c)
            text += (c == 0 ? "" : " or ") + ("following::x" + std::to_string(f) + "_" + std::to_string(c));
        texts.push_back(text);
    }
    BatchTrial trial(texts, "<r><item><a>1</a></item></r>");
    const auto tiny = trial.events[0];
    for (int i = 0; i < 39; ++i) {
        const auto document = feed::parse_document("<r><item><a>1</a></item></r>", {}).value();
        trial.events.push_back({document, 0, tiny.stream, 2});
    }
    BatchLimits limits;
    limits.scan.document_steps_max = 50'000;
    std::size_t pauses = 0;
    BatchMatcher matcher(limits, [&](double) { ++pauses; });
    CHECK(matcher.match(*trial.program, trial.events).empty());
    CHECK(matcher.scan_cost().scans == trial.events.size() * filters * conditions);
    CHECK(pauses > matcher.scan_cost().scans / 1'000);
    CHECK(pauses < matcher.scan_cost().scans / 10);
    CHECK(matcher.scan_cost().costly.size() == ScanCost::undecided_named_max);
    CHECK(matcher.scan_cost().total <= trial.events.size() * std::chrono::nanoseconds(50'000));
    const Pairs undecided = pairs_of(matcher.undecided());
    CHECK(matcher.undecided().size() == 2 * undecided.size() / trial.events.size());  // each filter and word once
    CHECK(undecided.size() % trial.events.size() == 0);
    CHECK(undecided.size() > trial.events.size() * filters / 2);
    CHECK(undecided.size() < trial.events.size() * filters);
    // Again, in batches of one event.
    Pairs again;
    for (std::size_t e = 0; e < trial.events.size(); ++e) {
        matcher.match(*trial.program, std::span(trial.events).subspan(e, 1));
        CHECK(matcher.scan_cost().total.count() == 0);
        for (const auto& [slot, event] : pairs_of(matcher.undecided())) again.emplace_back(slot, e);
    }
    std::sort(again.begin(), again.end());
    CHECK(again == undecided);
}
