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
    CHECK(std::count(lines.begin(), lines.end(), '\t') == 3 * 20);
    options.alignment = false;
    CHECK_THAT(run(align, options).out, Catch::Contains("\tdna\t11\t\t20\t\t18\t\t\t\t\t\t"));
}
