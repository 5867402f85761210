#include "tests/unit/protocol/feed/parse_support.hpp"

using namespace sluice;
using namespace sluice::feed;
using Strings = std::vector<std::string>;

namespace {

const DocumentOptions fasta{"text/x-fasta", "", {}}, fastq{"text/x-fastq", "", {}};

// The records' values: "r1|some words|ACGT|IIII".
Strings records(const DocumentPtr& document) {
    Strings records;
    for (const Item& item : document->items()) {
        std::string record(item.element.attribute("id").value());
        for (const char* name : {"description", "sequence", "quality"})
            if (const TreeNode value = item.element.child(name)) record.append("|").append(value.child_value());
        records.push_back(record);
    }
    return records;
}

}  // namespace

TEST_CASE("FASTA records") {
    CHECK(records(parsed(">r1 some  words \nAC GT\nacgt*\n\n>r2\nN-.\n", fasta)) ==
          Strings{"r1|some  words|ACGTacgt*", "r2|N-."});
    CHECK(records(parsed("\xEF\xBB\xBF;old comment\r\n>a\tb c\r\nAC\r\n;x\r\nGT", fasta)) == Strings{"a|b c|ACGT"});
    CHECK(records(parsed(">\n> d\nA\n>e", fasta)) == Strings{"|", "|d|A", "e|"});
    CHECK(parsed("", fasta)->items().empty());
    CHECK(parsed("\n\n", fasta)->items().empty());
    CHECK(sources(parsed(">a b\r\nAC\r\n\r\n>c\nG\n", fasta)) == Strings{">a b\r\nAC", ">c\nG"});
    CHECK(records(parsed(">a\n" + std::string(100'000, 'A') + "\n", fasta))[0].size() == 100'002);
}

TEST_CASE("FASTA that is refused, as a whole or by the record") {
    CHECK(refused("ACGT\n>a\nAC\n", fasta).message == "not FASTA: a record begins with '>'");
    const DocumentPtr document = parsed(">a\nAC\n>b\nA\nC1\nG\n>c\nGT\n", fasta);
    CHECK(records(document) == Strings{"a|AC", "c|GT"});
    REQUIRE(document->refusals().count == 1);
    const ItemRefusal& refusal = document->refusals().first[0];
    CHECK(refusal.index == 1);
    CHECK(refusal.error.line == 5);
    CHECK(refusal.error.column == 2);
    CHECK(refusal.error.message == "a sequence has letters, '*', '-' and '.' only");
    DocumentOptions few = fasta;
    few.limits.items_max = 1;
    CHECK(refused(">a\nA\n>b\nC\n", few).message == "the document has more items than limits.items (1)");
}

TEST_CASE("FASTQ records") {
    CHECK(records(parsed("@r1 d\nACGT\n+\nII@I\n@r2\nA\n+r2\n+\n", fastq)) == Strings{"r1|d|ACGT|II@I", "r2|A|+"});
    CHECK(records(parsed("@r1\r\nAC\r\nGT\r\n+\r\n@I\r\n+I\r\n@r2\r\nA\r\n+\r\nI", fastq)) ==
          Strings{"r1|ACGT|@I+I", "r2|A|I"});
    CHECK(records(parsed("@r1\n\n+\n\n@r2\nA\n+\nI\n", fastq)) == Strings{"r1||", "r2|A|I"});
    CHECK(records(parsed("@r1\n\n+\n", fastq)) == Strings{"r1||"});
    CHECK(sources(parsed("@a\nA\n+\nI\n\n@b\nC\n+\nJ\n", fastq)) == Strings{"@a\nA\n+\nI", "@b\nC\n+\nJ"});
    CHECK(parsed("", fastq)->items().empty());
    CHECK(records(parsed("@a\nA\n+\nI\n", {"text/plain", "", {}})) == Strings{"a|A|I"});
}

TEST_CASE("FASTQ: a bad record is refused without its neighbours") {
    for (const char* bad : {"@x\nAC1\n+\nIII\n", "@x\nAC\n+\nIII\n", "@x\nAC\n+\nI\n\n", "@x\nAC\nII\n",
                            "x\nAC\n+\nII\n", "@x\nAC\n+\nI\n", "@x\nACG\n+\n@\x7F\n", "@x\nAC\n", "@x\n"}) {
        CAPTURE(bad);
        const DocumentPtr document = parsed("@a\nA\n+\nI\n" + std::string(bad) + "@b\nC\n+\nJ\n", fastq);
        CHECK(records(document) == Strings{"a|A|I", "b|C|J"});
        REQUIRE(document->refusals().count >= 1);
        CHECK(document->refusals().first[0].index == 1);
        CHECK(document->refusals().first[0].error.line >= 5);
    }
    CHECK(refused("@a\nACGT\n", fastq).message == "the record ends in its sequence");
    CHECK(refused("@a\nACGT\n+\nII", fastq).message == "the record ends in its quality");
}
