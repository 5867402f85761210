#include "broker/match/annotator.hpp"

#include <catch2/catch.hpp>

#include "protocol/filter/filter.hpp"
#include "tests/unit/broker/support.hpp"

namespace sluice::broker {

namespace {

Annotator annotator(const std::string& filter, std::optional<std::uint64_t> cells_max) {
    return Annotator({filter::compile_filter(filter)->leaves}, cells_max);
}

const std::vector<std::uint32_t> first_filter{0};

using Found = std::vector<FoundAlignment>;

bool is_omitted(const Found& found, const std::string& reason) {
    return found.size() == 1 && found[0].omitted.find(reason) != std::string::npos && found[0].cigar.empty();
}

std::vector<std::string> cigars(const Found& found) {
    std::vector<std::string> all;
    for (const FoundAlignment& each : found) all.push_back(each.cigar);
    return all;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("alignments: cells are bounded for an event of a subscriber, and for a batch of all") {
    constexpr std::uint64_t cells = 4 * 4;
    const auto items = document({"<title>ACGT</title>"});
    const feed::Event event{items, 0, std::make_shared<const std::string>("genes"), 1};
    const auto align = [&](const Annotator& annotator, std::size_t e, BatchFindings& batch) {
        return *annotator.annotate(event, e, first_filter, batch)->alignments;
    };
    BatchFindings batch;
    const Annotator one = annotator("align(title, 'ACGT') = 4", cells);
    for (std::size_t e = 0; e < Annotator::batch_share; ++e) {
        CHECK(cigars(align(one, e, batch)) == Texts{"4="});
        CHECK(batch.cells == (e + 1) * cells);
    }
    SECTION("what is known takes nothing of the batch's share") {
        const Annotator same = annotator("align(title, 'ACGT') = 4", cells);
        CHECK(cigars(align(same, 0, batch)) == Texts{"4="});
        CHECK(batch.cells == Annotator::batch_share * cells);
    }
    SECTION("what is known takes of the subscriber's share of the event") {
        const Annotator small = annotator("align(title, 'ACGT') = 4", cells - 1);
        CHECK(is_omitted(align(small, 0, batch), "of one event would have more cells"));
    }
    SECTION("what is too much for one subscriber is aligned for another") {
        BatchFindings other;
        const Annotator small = annotator("align(title, 'ACGT') = 4", cells - 1);
        CHECK(is_omitted(align(small, 0, other), "of one event would have more cells"));
        CHECK(other.cells == 0);
        CHECK(cigars(align(one, 0, other)) == Texts{"4="});
        CHECK(other.cells == cells);
        CHECK(is_omitted(align(small, 0, other), "of one event would have more cells"));
    }
    SECTION("the batch's share is used up") {
        CHECK(is_omitted(align(one, Annotator::batch_share, batch), "of one batch, for all subscribers,"));
        CHECK(is_omitted(align(one, Annotator::batch_share, batch), "32 times limits.alignment_cells, 16"));
        CHECK(batch.cells == Annotator::batch_share * cells);
    }
}

TEST_CASE("alignments: what the events of a batch share is aligned once") {
    const auto items = document({"<title>ACGT</title>", "<title>TTTT</title>", "<title>ACG</title>"});
    const auto stream = std::make_shared<const std::string>("genes");
    const Annotator one = annotator("align(../item/title, 'ACGT') = 4 and align(title, 'T') = 1", 1'000);
    const Annotator other = annotator("align(../item/title, 'ACGT') = 4", 1'000);
    BatchFindings batch;
    for (std::size_t e = 0; e < 2; ++e) {
        const auto found = *one.annotate({items, e, stream, e + 1}, e, first_filter, batch)->alignments;
        CHECK(cigars(found) == Texts{"4=", "1="});
        CHECK((found[0].value == 0 && found[0].score == 4 && found[0].leaf == "align(../item/title, 'ACGT') = 4"));
        CHECK((found[0].query_begin == 0 && found[0].query_end == 4 && found[0].text_end == 4));
        CHECK(batch.cells == 4 * (4 + 4 + 3) + (e + 1) * 4);
    }
    // Another subscriber gets the alignments that the event already has.
    CHECK(cigars(*other.annotate({items, 0, stream, 1}, 0, first_filter, batch)->alignments) == Texts{"4="});
    CHECK(batch.cells == 4 * (4 + 4 + 3) + 2 * 4);
    // So no values are read for it.
    const auto without = document({"<title>x</title>"});
    CHECK(cigars(*other.annotate({without, 0, stream, 1}, 0, first_filter, batch)->alignments) == Texts{"4="});
}

TEST_CASE("alignments: what does not hold, or is of no filter that holds, is not there") {
    const auto items = document({"<title>ACGT</title>"});
    const feed::Event event{items, 0, std::make_shared<const std::string>("genes"), 1};
    BatchFindings batch;
    const auto found = annotator("not(align(title, 'ACGT') = 3)", 100).annotate(event, 0, first_filter, batch);
    CHECK(found->alignments->empty());
    CHECK(annotator("align(title, 'ACGT') = 4", 100).annotate(event, 0, {}, batch)->alignments->empty());
    SECTION("nor are any without being requested") {
        const Annotator idle = annotator("align(title, 'ACGT') = 4", std::nullopt);
        CHECK(idle.is_idle());
        CHECK(idle.annotate(event, 0, first_filter, batch) == nullptr);
    }
}

TEST_CASE("estimates: conditions on long series, of filters that hold, each once, and a series is counted once") {
    std::string numbers;
    for (int i = 0; i < 16'384; ++i) numbers += "1 ";
    const auto of = [](const std::string& series) { return "<s>" + series + "</s><u>" + series + " 1</u>"; };
    const auto items = document({of(numbers), of(numbers + "2"), of(numbers + "x")});
    const auto stream = std::make_shared<const std::string>("series");
    const std::string determinism = "determinism(s, 0.5) > 0.1", laminarity = "laminarity(s, 0.5) > 0.1";
    const auto leaves = [](const std::string& filter) { return filter::compile_filter(filter)->leaves; };
    const Annotator one({leaves(determinism + " and " + laminarity), leaves("determinism(u, 0.5) > 0.1"),
                         leaves(determinism), leaves("title")},
                        std::nullopt);
    CHECK_FALSE(one.is_idle());
    CHECK(one.estimates_max() == 4);
    BatchFindings batch;
    const auto estimated = [&](std::size_t e, const std::vector<std::uint32_t>& filters) {
        const auto found = one.annotate({items, e, stream, e + 1}, e, filters, batch);
        CHECK((!found || !found->alignments));
        return found ? found->estimated : Texts();
    };
    CHECK(estimated(0, {0, 2, 3}).empty());
    CHECK(estimated(1, {0, 2, 3}) == Texts{determinism});
    CHECK(estimated(2, {0, 2, 3}).empty());
    CHECK(batch.longest.size() == 3);
    CHECK(estimated(0, {0, 1}) == Texts{"determinism(u, 0.5) > 0.1"});
    CHECK(estimated(0, {3}).empty());
    CHECK(batch.longest.size() == 4);
    CHECK(annotator("title = 'a' and " + laminarity, std::nullopt).estimates_max() == 1);
    CHECK(annotator("recurrence-rate(s, 0.5) > 0", std::nullopt).is_idle());
}

}  // namespace sluice::broker
