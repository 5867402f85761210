// Items stored alone: a filter that needs no siblings gives the same answers for them as for the published document,
// and every filter does so for their whole record. SLUICE_ORACLE_PAIRS and SLUICE_ORACLE_SEED as in oracle_test.cpp.
#include "protocol/filter/siblings.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <iostream>
#include <numeric>

#include "protocol/feed/record/record_document.hpp"
#include "protocol/feed/record/record_item.hpp"
#include "protocol/filter/filter.hpp"
#include "tests/differential/oracle.hpp"

using namespace sluice;

namespace {

constexpr std::uint64_t pairs_default = 100'000;
constexpr std::size_t documents_per_round = 8, filters_per_round = 64;

std::uint64_t environment_number(const char* name, std::uint64_t otherwise) {
    const char* text = std::getenv(name);
    return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

// Filters with variables, and with parts that a sibling could change without being mentioned.
const char* const written_filters[] = {
    "$feed_title = $title",
    "$feed_link",
    "$author",
    "$path = '/rss/channel/item'",
    "$category[. = $title]",
    "count(ancestor::node()) > 2",
    "ancestor::*/@* = @*",
    "lang('en')",
    "../@*",
    "not(..) or name(..) = 'channel'",
};

struct Tally {
    std::uint64_t pairs = 0, events = 0, alone = 0, named = 0, differing = 0, yes = 0;
};

OracleDocument parsed_again(const feed::DocumentRecord& record) {
    const auto document = feed::parse_record(record, {});
    if (!document) FAIL(document.error().message << " in\n" << *record.text);
    OracleDocument both;
    both.ours = *document;
    copy_tree(both);
    return both;
}

struct Round {
    std::vector<OracleDocument> published, whole, alone;  // with the same events in the same order
    Vocabulary vocabulary;
};

Round make_round(Random& random) {
    Round round;
    std::vector<pugi::xml_node> elements;
    for (std::size_t i = 0; i < documents_per_round; ++i) {
        const RandomDocument text = random.chance(80) ? random_document(random) : random_json_document(random);
        INFO(text.published);
        OracleDocument document = make_oracle_document(text);
        std::vector<std::size_t> items(document.items.size());
        std::iota(items.begin(), items.end(), std::size_t{0});
        const feed::DocumentRecord whole = feed::record_document(*document.ours, {});
        const auto records = feed::record_items(*document.ours, whole, items, 1u << 30);
        if (!records) continue;
        round.whole.push_back(parsed_again(whole));
        for (const feed::ItemRecord& record : *records) round.alone.push_back(parsed_again(record.document));
        elements.insert(elements.end(), document.items.begin(), document.items.end());
        round.published.push_back(std::move(document));
    }
    round.vocabulary = make_vocabulary(elements);
    return round;
}

void check_round(Random& random, Tally& tally) {
    const Round round = make_round(random);
    std::vector<std::string> texts(std::begin(written_filters), std::end(written_filters));
    while (texts.size() < filters_per_round) texts.push_back(random_filter(random, round.vocabulary).text);
    OurSide published(engine::Backend::cpu), whole(engine::Backend::cpu), alone(engine::Backend::cpu);
    std::vector<std::optional<std::string>> named;
    std::erase_if(texts, [&](const std::string& text) {
        const auto filter = filter::compile_filter(text);
        if (!filter) return true;
        for (OurSide* side : {&published, &whole, &alone}) side->add(filter->disjunction);
        named.push_back(filter::needs_siblings(*filter));
        return false;
    });
    const auto expected = published.answers(round.published);
    const auto of_whole = whole.answers(round.whole), of_alone = alone.answers(round.alone);
    for (std::size_t i = 0; i < texts.size(); ++i) {
        INFO(texts[i]);
        CHECK(of_whole[i] == expected[i]);
        if (!named[i]) CHECK(of_alone[i] == expected[i]);
        ++(named[i] ? tally.named : tally.alone);
        tally.differing += of_alone[i] != expected[i];
        tally.events += expected[i].size();
        tally.yes += static_cast<std::uint64_t>(std::count(expected[i].begin(), expected[i].end(), true));
    }
    tally.pairs += texts.size() * round.published.size();
}

}  // namespace

TEST_CASE("filters that need no siblings mean the same on items alone") {
    const std::uint64_t pairs = environment_number("SLUICE_ORACLE_PAIRS", pairs_default);
    const std::uint64_t seed = environment_number("SLUICE_ORACLE_SEED", 1);
    Random random(seed);
    Tally tally;
    for (std::uint64_t round = 0; tally.pairs < pairs; ++round) {
        const std::uint64_t round_seed = random.next();
        INFO("seed " << seed << ", round " << round << " (seed " << round_seed << ")");
        Random of_round(round_seed);
        check_round(of_round, tally);
    }
    std::cout << "items alone: " << tally.pairs << " pairs, " << tally.events << " answers, " << tally.yes
              << " of them true; " << tally.alone << " filters need no siblings, " << tally.named << " may, "
              << tally.differing << " do" << std::endl;
    CHECK(tally.alone > tally.named / 4);
    CHECK(tally.differing > tally.named / 20);
    CHECK(tally.yes * 100 >= tally.events * 15);
}
