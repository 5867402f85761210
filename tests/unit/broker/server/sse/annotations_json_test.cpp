#include "broker/server/sse/annotations_json.hpp"

#include <catch2/catch.hpp>

using namespace sluice;
using server::annotations_json;

TEST_CASE("annotations as JSON: members after a comma, each only if there is something to tell") {
    broker::Annotations annotations;
    CHECK(annotations_json(annotations).empty());
    annotations.alignments.emplace();
    CHECK(annotations_json(annotations) == ",\"alignments\":[]");
    annotations.estimated = {"determinism(s, 0.5) > 0.9", "laminarity(\"s\", 1) = 1"};
    CHECK(annotations_json(annotations) ==
          R"(,"alignments":[],"estimated":["determinism(s, 0.5) > 0.9","laminarity(\"s\", 1) = 1"])");
    annotations.alignments.reset();
    CHECK(annotations_json(annotations).starts_with(",\"estimated\":["));
}

TEST_CASE("alignments as JSON: letters count from 1, an empty alignment has no positions, an omitted one a reason") {
    broker::Annotations annotations;
    annotations.alignments = {{0, "align(s, 'ACGT') >= 4", "", 1, 4, 0, 4, 6, 10, "4="},
                              {3, "align-global(s, '') = 0", "", 0, 0, 0, 0, 0, 0, ""},
                              {3, "align(s, 'A') = 1", "not enough memory", 0, 0, 0, 0, 0, 0, ""}};
    CHECK(annotations_json(annotations) ==
          R"(,"alignments":[{"filter":0,"leaf":"align(s, 'ACGT') >= 4","value":1,"score":4,"query_start":1,)"
          R"("query_end":4,"text_start":7,"text_end":10,"cigar":"4="},)"
          R"({"filter":3,"leaf":"align-global(s, '') = 0","value":0,"score":0,"cigar":""},)"
          R"({"filter":3,"leaf":"align(s, 'A') = 1","omitted":"not enough memory"}])");
}
