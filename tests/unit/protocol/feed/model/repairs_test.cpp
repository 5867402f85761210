#include "protocol/feed/model/repairs.hpp"

#include <catch2/catch.hpp>
#include <tuple>

using namespace sluice::feed;

TEST_CASE("repairs keep the first place of each kind and count the others") {
    const std::string text = "<a>\n& &\r\n\xC3\xA9&x;</a>";
    Repairs repairs;
    CHECK(repairs.empty());
    CHECK(repairs.is_first(RepairKind::ampersand));
    repairs.note(RepairKind::entity, 11, "unknown");
    repairs.note(RepairKind::ampersand, 4, "bare");
    repairs.note(RepairKind::ampersand, 6, "not used");
    CHECK_FALSE(repairs.is_first(RepairKind::ampersand));
    repairs.locate(text);
    CHECK(repairs.total() == 3);
    REQUIRE(repairs.list().size() == 2);
    const Repair &entity = repairs.list()[0], &ampersand = repairs.list()[1];
    CHECK(entity.kind == RepairKind::entity);
    CHECK(entity.reason == "unknown");
    CHECK(entity.count == 1);
    CHECK(std::tuple(entity.line, entity.column, entity.offset) == std::tuple(3, 2, 11));
    CHECK(ampersand.reason == "bare");
    CHECK(ampersand.count == 2);
    CHECK(std::tuple(ampersand.line, ampersand.column, ampersand.offset) == std::tuple(2, 1, 4));
}

TEST_CASE("places found later are located in the text that they are in") {
    Repairs repairs;
    repairs.note(RepairKind::bytes, 2, "bytes");
    repairs.locate("\n\n\n");
    repairs.note(RepairKind::cut_off, 2, "the end");
    repairs.locate("abc");
    CHECK(repairs.list()[0].line == 3);
    CHECK(repairs.list()[1].line == 1);
    CHECK(repairs.list()[1].column == 3);
}

TEST_CASE("every kind has a name of its own") {
    for (std::size_t i = 0; i < repair_kinds; ++i) {
        for (std::size_t k = 0; k < i; ++k)
            CHECK(repair_name(static_cast<RepairKind>(i)) != repair_name(static_cast<RepairKind>(k)));
    }
}

TEST_CASE("excerpts are short") {
    CHECK(excerpt("short") == "short");
    CHECK(excerpt(std::string(10'000, 'x')).size() < 410);
}

TEST_CASE("a reason that quotes other bytes than UTF-8 is text all the same") {
    Repairs repairs;
    repairs.note(RepairKind::encoding, 0,
                 "the encoding \"ut\xC3"
                 "f-8\" is not known");
    CHECK(repairs.list()[0].reason ==
          "the encoding \"ut\xEF\xBF\xBD"
          "f-8\" is not known");
}
