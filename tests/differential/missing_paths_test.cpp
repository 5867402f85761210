// Conditions on paths that an event lacks, or of other streams, cost it nothing: what reading and matching do for an
// event is counted, with few and with many such paths.
#include <catch2/catch.hpp>
#include <string>
#include <tuple>
#include <vector>

#include "gpu/cpu/segment/segment.hpp"
#include "gpu/cpu/segment/segment_builder.hpp"
#include "gpu/tables/term.hpp"
#include "protocol/feed/values/extractor.hpp"
#include "protocol/filter/filter.hpp"
#include "tests/support/tree_document.hpp"

using namespace sluice;

namespace {

// # stands for a name that differs from filter to filter.
const std::vector<std::string> false_kinds = {"# = 'x'",
                                              "# != 'x'",
                                              "# < 5",
                                              "# = 5",
                                              "# != 5",
                                              "#",
                                              "contains(#, 'x')",
                                              "starts-with(#, 'x')",
                                              "ends-with(#, 'x')",
                                              "count(#) > 1",
                                              "sum(#) > 1",
                                              "number(#) = 1",
                                              "number(#) < 1",
                                              "string(#) = 'x'",
                                              "normalize-space(#) = 'x'",
                                              "string-length(#) > 3",
                                              "lower-case(#) = 'x'",
                                              "contains(lower-case(#), 'x')",
                                              "string(lower-case(#)) = 'x'",
                                              "date(#) > '2024'",
                                              "@# = 'x'",
                                              "#/@* = 'x'",
                                              "#/* = 'x'",
                                              "#/text() = 'x'",
                                              "a/# = 'x'",
                                              "*/# = 'x'",
                                              "*/*/# = 'x'",
                                              "string(*/#) = 'x'",
                                              "count(*/*/#) > 1",
                                              "../# = 'x'",
                                              "string(../#) = 'x'",
                                              "../../../../# = 'x'",
                                              "../*/*/#",
                                              "matches(#, 'x')",
                                              "approx-contains(#, 'xyz', 1)",
                                              "edit-distance(string(#), 'xyz') < 2",
                                              "not(not(# != 'x'))",
                                              "#[. = 'x' or contains(., 'y')]",
                                              "title = '#'",
                                              "starts-with(title, '#')",
                                              "contains(title, '#')",
                                              "title != 'y' and title = '#'",
                                              "$title = '#'",
                                              "$author = '#'",
                                              "name(.) = '#'",
                                              "name(../..) = '#'",
                                              "$path = '/#'",
                                              "/rss/#"};
const std::vector<std::string> true_kinds = {"not(#)",
                                             "not(# = 'x')",
                                             "not(# != 'x')",
                                             "not(# < 5)",
                                             "not(contains(#, 'x'))",
                                             "count(#) < 1",
                                             "sum(#) < 1",
                                             "string(#) = ''",
                                             "string(#) != 'x'",
                                             "number(#) != 5",
                                             "string-length(#) = 0",
                                             "normalize-space(#) = ''",
                                             "not(matches(#, 'x'))",
                                             "edit-distance(string(#), 'xy') = 2",
                                             "not(*/*/#)",
                                             "string(../#) = ''",
                                             "not(@#)",
                                             "name(../../../../..) = ''",
                                             "title != '#'",
                                             "not(title = '#')"};

const feed::Event event = tree_event(
    "<rss><channel><title>T</title><item id='1'><title>A title</title><a><b>x</b><c k='2'>5</c></a><a/>"
    "<author>Ann</author></item><item/></channel></rss>",
    "//item");

using Counts = std::tuple<std::uint64_t, std::size_t, std::size_t, std::uint64_t, std::size_t>;

// Reading steps; values; rows checked; blocks of cluster rows run; matches.
Counts counts(const std::vector<std::string>& kinds, std::size_t paths, const std::string& also,
              const std::string& stream) {
    engine::NameTable attributes, scanned;
    cpu::SegmentBuilder builder;
    std::uint32_t slot = 0;
    for (std::size_t i = 0; i < paths; ++i) {
        for (std::string text : kinds) {
            text = (also.empty() ? text : text + " and " + also);
            for (std::size_t at; (at = text.find('#')) != std::string::npos;)
                text.replace(at, 1, "p" + std::to_string(i));
            auto filter = filter::compile_filter(text);
            if (!filter) FAIL(text << ": " << filter.error().message);
            engine::Disjunction& disjunction = filter->disjunction;
            if (!stream.empty()) {
                const auto added = static_cast<std::uint32_t>(disjunction.predicates.size());
                disjunction.predicates.push_back({"$stream", engine::Operator::equal, stream, 0});
                for (engine::Conjunction& conjunction : disjunction.conjunctions) conjunction.push_back({added, false});
            }
            builder.add({slot++, 1}, engine::normalise(disjunction), attributes, scanned);
        }
    }
    const auto segment = builder.build();
    const std::vector<std::string> names = attributes.snapshot()->names;

    engine::EventBatch batch;
    feed::TextArena arena;
    feed::ValueGroups groups;
    feed::ReadingBudget reading;
    feed::Extractor(names).extract(event, batch, arena, groups, reading);
    std::size_t values = batch.values.size();
    for (const engine::ValueGroup& group : batch.groups) values += group.values.size();
    cpu::ScanCache::Memory memory;
    cpu::ScanCache scans(batch, memory);
    cpu::Segment::Scratch scratch;
    std::vector<engine::Match> matches;
    segment->match(batch, nullptr, scans, scratch, matches);
    std::size_t words = 0;
    for (const auto& span : scratch.access.spans) words += span.end - span.begin;
    CHECK(batch.unknown.empty());
    CHECK(scratch.clusters.pages.size() <= 3);  // of masks, each for many literals
    return {reading.spent(), values, words, scratch.clusters.blocks_run, matches.size()};
}

void check(const std::vector<std::string>& kinds, const std::string& also, const std::string& stream) {
    for (const std::string& kind : kinds) {
        INFO(kind << " " << also << " in " << stream);
        const Counts few = counts({kind}, 100, also, stream), many = counts({kind}, 1'000, also, stream);
        CHECK(std::get<4>(few) == 0);
        CHECK(few == many);
    }
}

}  // namespace

TEST_CASE("conditions on paths that an event lacks cost it nothing, in all streams") { check(false_kinds, "", ""); }

TEST_CASE("conditions that missing paths make true cost nothing beside one that is false") {
    check(true_kinds, "title = 'other'", "");
    check(true_kinds, "not(title)", "");
    check(true_kinds, "not(a) and not(title)", "");
}

TEST_CASE("conditions of another stream cost nothing, true or not") {
    check(false_kinds, "", "other");
    check(true_kinds, "", "other");
}

TEST_CASE("100,000 paths of all kinds cost an event as much as 100") {
    std::vector<std::string> all = false_kinds;
    for (const std::string& kind : true_kinds) all.push_back(kind + " and not(title)");
    CHECK(counts(all, 20, "", "") == counts(all, 1'500, "", ""));
}
