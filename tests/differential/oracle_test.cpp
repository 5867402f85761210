// Random filters on random documents: our answers equal pugixml's and libxml2's. SLUICE_ORACLE_PAIRS sets the number of
// (filter, document) pairs that each of them must have answered, SLUICE_ORACLE_SEED the seed.

#include "tests/differential/oracle.hpp"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <iostream>

#include "tests/differential/shrink.hpp"
#include "tests/support/oracle_limits.hpp"

using namespace sluice;

namespace {

constexpr std::uint64_t pairs_default = 200'000;
constexpr std::size_t documents_per_round = 8, filters_per_round = 64;

std::uint64_t environment_number(const char* name, std::uint64_t otherwise) {
    const char* text = std::getenv(name);
    return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

// Counts the decided cases, so that the test cannot pass with nothing to decide.
struct Tally {
    std::uint64_t pairs = 0, of_pugixml = 0, of_libxml2 = 0, answers = 0, yes = 0, filters = 0, undecided = 0,
                  with_scanned = 0, with_indexed = 0, leaves = 0, scanned = 0, refused = 0, ordered = 0;

    void add(const filter::Filter& filter) {
        std::size_t scans = 0;
        for (const filter::Leaf& leaf : filter.leaves) scans += leaf.indexed ? 0 : 1;
        ++filters;
        leaves += filter.leaves.size();
        scanned += scans;
        with_scanned += scans > 0;
        with_indexed += scans < filter.leaves.size();
    }
    void add(const Answers& theirs) {
        const auto count = static_cast<std::uint64_t>(std::count(theirs.begin(), theirs.end(), true));
        answers += theirs.size();
        yes += count;
    }
    static std::string percent(std::uint64_t part, std::uint64_t whole) {
        return std::to_string(100 * part / std::max<std::uint64_t>(whole, 1)) + " %";
    }
};

struct Round {
    std::vector<RandomDocument> texts;
    std::vector<OracleDocument> documents;
    Vocabulary vocabulary;
};

Round make_round(Random& random) {
    Round round;
    std::vector<pugi::xml_node> items;
    for (std::size_t i = 0; i < documents_per_round; ++i) {
        const bool ascii = random.chance(50);
        round.texts.push_back(random_document(random, {ascii, !ascii || random.chance(50)}));
        INFO(round.texts.back().published);
        REQUIRE_NOTHROW(round.documents.push_back(make_oracle_document(round.texts.back())));
        items.insert(items.end(), round.documents.back().items.begin(), round.documents.back().items.end());
    }
    round.vocabulary = make_vocabulary(items);
    return round;
}

// Fails the test with a readable case.
void report(Oracle oracle, const RandomFilter& filter, const RandomDocument& document) {
    if (!disagreement(oracle, filter, document))
        FAIL("only in company: " << filter.text << "\non " << document.published);
    const auto fails = [&](const OracleCase& c) { return disagreement(oracle, c.filter, c.document).has_value(); };
    const OracleCase small = shrink({filter, document}, fails);
    FAIL((small.filter.selects ? "select " : "test ")
         << small.filter.text << "\non " << small.document.published << "\n"
         << disagreement(oracle, small.filter, small.document).value_or("") << "\n\nfound as " << filter.text << "\non "
         << document.published);
}

// Compares all pairs that the oracle can answer. Returns their number.
std::uint64_t compare(Oracle oracle, const RandomFilter& filter, const Round& round, const Answers& ours,
                      Tally& tally) {
    if (!knows(oracle, filter)) return 0;
    std::uint64_t pairs = 0;
    auto first = ours.begin();
    for (std::size_t d = 0; d < round.documents.size(); ++d) {
        const auto end = first + static_cast<std::ptrdiff_t>(round.documents[d].items.size());
        if (knows(oracle, round.documents[d])) {
            ++pairs;
            const Answers theirs = answers_of(oracle, filter, round.documents[d]);
            tally.add(theirs);
            if (!std::equal(first, end, theirs.begin(), theirs.end())) report(oracle, filter, round.texts[d]);
        }
        first = end;
    }
    return pairs;
}

std::vector<RandomFilter> make_filters(Random& random, const Round& round, std::vector<filter::Filter>& compiled,
                                       Tally& tally) {
    std::vector<RandomFilter> filters;
    while (filters.size() < filters_per_round) {
        RandomFilter filter = random_filter(random, round.vocabulary);
        auto result = filter::compile_filter(filter.text);
        if (!result) {
            INFO(filter.text << "\n" << result.error().message << "\n" << result.error().excerpt);
            REQUIRE(result.error().message.find("limit") != std::string::npos);
            ++tally.refused;
            continue;
        }
        tally.add(*result);
        compiled.push_back(std::move(*result));
        filters.push_back(std::move(filter));
    }
    return filters;
}

void check_round(Random& random, engine::Backend backend, Tally& tally) {
    const Round round = make_round(random);
    std::vector<filter::Filter> compiled;
    const std::vector<RandomFilter> filters = make_filters(random, round, compiled, tally);
    OurSide ours(backend);
    for (const filter::Filter& filter : compiled) ours.add(filter.disjunction);
    auto answers = ours.answers(round.documents);

    // Some subscriptions are removed and added again: all answers stay the same.
    for (std::size_t i = 0; i < filters.size(); ++i) {
        if (random.chance(20)) {
            REQUIRE(ours.remove(i));
            ours.add_again(i, compiled[i].disjunction);
        }
    }
    REQUIRE(ours.answers(round.documents) == answers);

    for (std::size_t i = 0; i < filters.size(); ++i) {
        INFO(filters[i].text);
        tally.of_pugixml += compare(Oracle::pugixml, filters[i], round, answers[i], tally);
        const std::uint64_t of_libxml2 = compare(Oracle::libxml2, filters[i], round, answers[i], tally);
        tally.of_libxml2 += of_libxml2;
        if (any_part(checked_expression(filters[i].text), orders_set_and_boolean)) tally.ordered += of_libxml2;
        const auto yes = std::count(answers[i].begin(), answers[i].end(), true);
        tally.undecided += yes != 0 && static_cast<std::size_t>(yes) != answers[i].size();
    }
    tally.pairs += filters.size() * round.documents.size();
}

}  // namespace

TEST_CASE("random filters on random documents are answered as pugixml and libxml2 answer") {
    const std::uint64_t pairs = environment_number("SLUICE_ORACLE_PAIRS", pairs_default);
    const std::uint64_t seed = environment_number("SLUICE_ORACLE_SEED", 1);
    std::cout << "oracle: seed " << seed << ", " << pairs << " pairs for pugixml and for libxml2" << std::endl;
    Random random(seed);
    Tally tally;
    for (std::uint64_t round = 0; std::min(tally.of_pugixml, tally.of_libxml2) < pairs; ++round) {
        const std::uint64_t round_seed = random.next();
        INFO("seed " << seed << ", round " << round << " (seed " << round_seed << ")");
        Random of_round(round_seed);
        check_round(of_round, round % 4 == 0 ? engine::Backend::naive : engine::Backend::cpu, tally);
    }
    std::cout << "oracle: " << tally.pairs << " pairs, " << tally.of_pugixml << " of them answered by pugixml, "
              << tally.of_libxml2 << " by libxml2, " << tally.answers << " answers, "
              << Tally::percent(tally.yes, tally.answers) << " of them true; of " << tally.filters << " filters "
              << Tally::percent(tally.undecided, tally.filters) << " are true for some events only, "
              << Tally::percent(tally.with_scanned, tally.filters) << " have scanned leaves, "
              << Tally::percent(tally.with_indexed, tally.filters) << " indexed ones; "
              << Tally::percent(tally.scanned, tally.leaves) << " of leaves are scanned; " << tally.refused
              << " filters were over a limit; in " << tally.ordered
              << " of libxml2's pairs, a node-set is ordered against a boolean" << std::endl;
    CHECK(tally.yes * 100 >= tally.answers * 15);
    CHECK(tally.yes * 100 <= tally.answers * 85);
    CHECK(tally.undecided * 100 >= tally.filters * 30);
    CHECK(tally.with_scanned * 100 >= tally.filters * 20);
    CHECK(tally.with_indexed * 100 >= tally.filters * 40);
    CHECK(tally.refused * 100 <= tally.filters);
    CHECK(tally.of_pugixml * 100 >= tally.pairs * 35);
    CHECK(tally.of_libxml2 * 100 >= tally.pairs * 45);
    CHECK(tally.ordered * 100 >= tally.of_libxml2);
}
