#include "broker/match/annotator.hpp"

#include <catch2/catch.hpp>

#include "protocol/filter/filter.hpp"
#include "tests/unit/broker/support.hpp"

namespace sluice::broker {

namespace {

Annotator annotator(const std::string& filter, std::uint64_t cells_max) {
    return Annotator({filter::compile_filter(filter)->leaves}, cells_max);
}

bool is_omitted(const std::string& alignments, const std::string& reason) {
    return alignments.find("\"omitted\"") != std::string::npos && alignments.find(reason) != std::string::npos;
}

}  // namespace

TEST_CASE("alignments: cells are bounded for an event of a subscriber, and for a batch of all") {
    constexpr std::uint64_t cells = 4 * 4;
    const auto items = document({"<title>ACGT</title>"});
    const feed::Event event{items, 0, std::make_shared<const std::string>("genes"), 1};
    const std::vector<std::uint32_t> first_filter{0};
    const auto align = [&](const Annotator& annotator, std::size_t e, FoundAlignments& batch) {
        return annotator.alignments(event, e, first_filter, batch);
    };
    FoundAlignments batch;
    const Annotator one = annotator("align(title, 'ACGT') = 4", cells);
    for (std::size_t e = 0; e < Annotator::batch_share; ++e) {
        CHECK(align(one, e, batch).find("\"cigar\":\"4=\"") != std::string::npos);
        CHECK(batch.cells == (e + 1) * cells);
    }
    SECTION("what is known takes nothing of the batch's share") {
        const Annotator same = annotator("align(title, 'ACGT') = 4", cells);
        CHECK(align(same, 0, batch) == align(one, 0, batch));
        CHECK(batch.cells == Annotator::batch_share * cells);
    }
    SECTION("what is known takes of the subscriber's share of the event") {
        const Annotator small = annotator("align(title, 'ACGT') = 4", cells - 1);
        CHECK(is_omitted(align(small, 0, batch), "of one event would have more cells"));
    }
    SECTION("what is too much for one subscriber is aligned for another") {
        FoundAlignments other;
        const Annotator small = annotator("align(title, 'ACGT') = 4", cells - 1);
        CHECK(is_omitted(align(small, 0, other), "of one event would have more cells"));
        CHECK(other.cells == 0);
        CHECK(align(one, 0, other) == align(one, 0, batch));
        CHECK(other.cells == cells);
        CHECK(is_omitted(align(small, 0, other), "of one event would have more cells"));
    }
    SECTION("the batch's share is used up") {
        CHECK(is_omitted(align(one, Annotator::batch_share, batch), "of one batch, for all subscribers,"));
        CHECK(is_omitted(align(one, Annotator::batch_share, batch), "32 times limits.alignment_cells, 16"));
        CHECK(batch.cells == Annotator::batch_share * cells);
    }
}

TEST_CASE("alignments: what the events of a batch share is read and aligned once") {
    const auto items = document({"<title>ACGT</title>", "<title>TTTT</title>", "<title>ACG</title>"});
    const auto stream = std::make_shared<const std::string>("genes");
    const Annotator one = annotator("align(../item/title, 'ACGT') = 4 and align(title, 'T') = 1", 1'000);
    const Annotator other = annotator("align(../item/title, 'ACGT') = 4", 1'000);
    FoundAlignments batch;
    for (std::size_t e = 0; e < 2; ++e) {
        const std::string text = one.alignments({items, e, stream, e + 1}, e, std::vector<std::uint32_t>{0}, batch);
        CHECK(text.find("\"value\":0,\"score\":4,") != std::string::npos);
        CHECK(text.find("\"cigar\":\"1=\"") != std::string::npos);
        CHECK(batch.cells == 4 * (4 + 4 + 3) + (e + 1) * 4);
    }
    CHECK(batch.groups.values_read() == 3);
    // Another subscriber gets the alignments that the event already has.
    CHECK(other.alignments({items, 0, stream, 1}, 0, std::vector<std::uint32_t>{0}, batch).find("\"cigar\":\"4=\"") !=
          std::string::npos);
    CHECK(batch.cells == 4 * (4 + 4 + 3) + 2 * 4);
}

TEST_CASE("alignments: what does not hold, or is of no filter that holds, is not there") {
    const auto items = document({"<title>ACGT</title>"});
    const feed::Event event{items, 0, std::make_shared<const std::string>("genes"), 1};
    FoundAlignments batch;
    CHECK(annotator("not(align(title, 'ACGT') = 3)", 100).alignments(event, 0, std::vector<std::uint32_t>{0}, batch) ==
          "[]");
    CHECK(annotator("align(title, 'ACGT') = 4", 100).alignments(event, 0, {}, batch) == "[]");
}

}  // namespace sluice::broker
