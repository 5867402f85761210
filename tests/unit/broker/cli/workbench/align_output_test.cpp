#include <boost/json.hpp>
#include <catch2/catch.hpp>

#include "broker/cli/workbench/operator_options.hpp"
#include "tests/unit/broker/cli/ran.hpp"

using namespace sluice::cli;
using test::run;
using test::TemporaryFile;

namespace {

struct Pair {
    TemporaryFile query{">gene\nACGTTGCAACGGTCATTGCA\n"}, text{">a\nACGTTGCAACTCATTGCA\n>b\nTTTT\n"};

    AlignOptions options(AlignFormat format) const {
        AlignOptions options;
        options.query_file = query.path();
        options.text_file = text.path();
        options.alignment = true;
        options.format = format;
        return options;
    }
};

}  // namespace

TEST_CASE("alignments as JSON, one object a line") {
    const Pair pair;
    std::istringstream lines(run(align, pair.options(AlignFormat::json)).out);
    std::string first, second, none;
    std::getline(lines, first);
    std::getline(lines, second);
    CHECK(!std::getline(lines, none));
    const auto object = boost::json::parse(first).as_object();
    CHECK(object.at("query") == "gene");
    CHECK(object.at("score") == 11);
    CHECK(object.at("query_start") == 1);
    CHECK(object.at("text_end") == 18);
    CHECK(object.at("gaps") == 2);
    CHECK(object.at("cigar") == "10=2I8=");
    CHECK(boost::json::parse(second).as_object().at("text") == "b");
}

TEST_CASE("alignments as tab-separated values, with a line of names above them all") {
    const Pair pair;
    auto options = pair.options(AlignFormat::tsv);
    auto lines = run(align, options).out;
    CHECK_THAT(lines, Catch::StartsWith("query\tquery_length\ttext\ttext_length\tmode\tscheme\tscore\tquery_start\t") &&
                          Catch::Contains("\ngene\t20\ta\t18\tlocal\tdna\t11\t1\t20\t1\t18\t18\t20\t0\t2\t10=2I8=\t") &&
                          Catch::Contains("\ngene\t20\tb\t4\t"));
    CHECK(std::count(lines.begin(), lines.end(), '\n') == 3);
    CHECK(std::count(lines.begin(), lines.end(), '\t') == 3 * 21);
    options.alignment = false;
    CHECK_THAT(run(align, options).out, Catch::Contains("\tdna\t11\t\t20\t\t18\t\t\t\t\t\t"));
}

TEST_CASE("alignments as PAF: CIGARs have the file's letters, I of the query and D of the text") {
    Pair pair;
    CHECK(run(align, pair.options(AlignFormat::paf)).out ==
          "gene\t20\t0\t20\t+\ta\t18\t0\t18\t18\t20\t255\tAS:i:11\tNM:i:2\tcg:Z:10=2I8=\n"
          "gene\t20\t3\t5\t+\tb\t4\t0\t2\t2\t2\t255\tAS:i:2\tNM:i:0\tcg:Z:2=\n");
}

TEST_CASE("alignments of the reverse strand have the positions of the query as it is in the file") {
    // The reverse complement of ACGTTGCAACGGTCATTGCA is TGCAATGACCGTTGCAACGT; the text lacks its CC.
    const TemporaryFile query(">gene\nGGACGTTGCAACGGTCATTGCA\n"), text(">a\nAATGCAATGACGTTGCAACGTAAA\n>b\nCCCC\n");
    AlignOptions options;
    options.query_file = query.path();
    options.text_file = text.path();
    options.format = AlignFormat::paf;
    options.both_strands = true;
    CHECK_THAT(run(align, options).out,
               Catch::StartsWith("gene\t22\t2\t22\t-\ta\t24\t2\t21\t19\t20\t255\tAS:i:14\tNM:i:1\tcg:Z:"));
    options.format = AlignFormat::text;
    options.alignment = true;
    CHECK_THAT(run(align, options).out,
               Catch::Contains("\nstrand   - (the query's reverse complement)\nquery    3-22\ntext     3-21\n"));
    options.alignment = false;
    CHECK_THAT(run(align, options).out, Catch::Contains("\nends at  query 3, text 21\n"));
    options.format = AlignFormat::json;
    CHECK_THAT(run(align, options).out, Catch::Contains("\"strand\":\"-\",\"query_start\":3,\"text_end\":21,"));
    options.scheme = "blosum62";
    CHECK(run(align, options).err ==
          "sluice: --both-strands is for DNA, since proteins have no second strand; got --scheme blosum62\n");
}

TEST_CASE("two files with several sequences are aligned all against all, which is said") {
    const TemporaryFile some(">a\nACGT\n>b\nACG\n"), one(">c\nACGT\n");
    AlignOptions options;
    options.query_file = options.text_file = some.path();
    options.format = AlignFormat::tsv;
    const auto ran = run(align, options);
    CHECK(ran.err == "sluice: 2 x 2 records: all against all, 4 pairs\n");
    CHECK(std::count(ran.out.begin(), ran.out.end(), '\n') == 5);
    options.query_file = one.path();
    CHECK(run(align, options).err.empty());
}
