#include "protocol/feed/data/data_normal_form.hpp"

#include "tests/unit/protocol/feed/parse_support.hpp"

using namespace sluice;
using namespace sluice::feed;

namespace {

text::Digest data_digest_of(const std::string& text, const char* type = "", std::vector<std::string> ignored = {}) {
    DocumentOptions options;
    options.content_type = type;
    options.digests = DigestOptions{IgnoredParts(ignored), true};
    const DocumentPtr document = parsed(text, options);
    REQUIRE(document->items().size() == 1);
    REQUIRE(document->items()[0].content != text::Digest{});
    return document->items()[0].content;
}

}  // namespace

TEST_CASE("DataNormalizer: the form is bencode with sorted keys") {
    const IgnoredParts ignored;
    DataNormalizer normalizer{ignored};
    normalizer.open_member("b", "b");
    normalizer.open_object();
    normalizer.close_object();
    normalizer.close_member();
    normalizer.open_member("a", "a");
    normalizer.open_array();
    normalizer.scalar("1.50");
    normalizer.scalar("true");
    normalizer.open_object();
    normalizer.member("z", "");
    normalizer.member("y", "\u00E9");
    normalizer.close_object();
    normalizer.scalar("null");
    normalizer.close_array();
    normalizer.close_member();
    CHECK(normalizer.normal_form() == "d1:ali15^1etd1:y2:\u00E91:z0:ene1:bdee");
    normalizer.clear();
    CHECK(normalizer.normal_form() == "de");
}

TEST_CASE("normal_decimal: equal numbers have one form") {
    const auto all_are = [](const char* form, std::vector<const char*> numbers) {
        for (const char* const number : numbers) {
            CAPTURE(number);
            CHECK(normal_decimal(number) == form);
        }
    };
    all_are("0", {"0", "-0", "0.0", "0e5", "-0.00E-7"});
    all_are("1", {"1", "1.0", "1e0", "10e-1", "0.1e1", "0.01e+2", "1E00"});
    all_are("-15^1", {"-1.5", "-1.50", "-15e-1", "-0.15e1"});
    all_are("1^3", {"100", "1e2", "1E+02", "100.00", "0.1e3"});
    all_are("1^-1", {"0.01", "1e-2", "0.1e-1"});
    all_are("123", {"123", "123.0", "1.23e2"});
    all_are("9007199254740993", {"9007199254740993", "9007199254740993.0"});
    all_are("1e99999999999999999999", {"1e99999999999999999999"});
}

TEST_CASE("JSON: the digest says what the item says, not how") {
    const text::Digest digest = data_digest_of(R"({"a":"\u00e9<b>","n":[1.50,{"x":null,"y":true}],"z":{}})");
    for (const std::string text : {
             R"({"n":[1.50,{"y":true,"x":null}],"z":{},"a":"\u00e9<b>"})",
             R"( { "z" : { } , "a" : "\u00E9\u003cb\u003E" , "n" : [ 1.5 , { "x" : null , "y" : true } ] } )",
             "{\r\n\t\"a\": \"\u00E9<b>\",\r\n\t\"n\": [15e-1, {\"x\": null, \"y\": true}],\r\n\t\"z\": {}\r\n}",
             R"([{"a":"\u00e9<b>","n":[1.50,{"x":null,"y":true}],"z":{}}])",
         }) {
        CAPTURE(text);
        CHECK(data_digest_of(text) == digest);
    }
    for (const std::string text : {
             R"({"a":"\u00e9<b>","n":[1.51,{"x":null,"y":true}],"z":{}})",
             R"({"a":"\u00e8<b>","n":[1.50,{"x":null,"y":true}],"z":{}})",
             R"({"a":"\u00e9<b>","n":["1.50",{"x":null,"y":true}],"z":{}})",
             R"({"a":"\u00e9<b>","n":[1.50,{"x":null,"y":"true"}],"z":{}})",
             R"({"a":"\u00e9<b>","n":[1.50,{"x":null,"y":false}],"z":{}})",
             R"({"a":"\u00e9<b>","n":[{"x":null,"y":true},1.50],"z":{}})",
             R"({"a":"\u00e9<b>","n":[1.50,{"x":null},{"y":true}],"z":{}})",
             R"({"a":"\u00e9<b>","n":[1.50,{"x":null,"y":true}],"z":[]})",
             R"({"a":"\u00e9<b>","n":[1.50,{"x":null,"y":true}],"z":null})",
             R"({"a":"\u00e9<b>","n":[1.50,{"x":null,"y":true,"z":{}}]})",
             R"({"a":"\u00e9<b>","n":[1.50,{"x":null,"y":true}],"z":{},"z":{}})",
             R"({"A":"\u00e9<b>","n":[1.50,{"x":null,"y":true}],"z":{}})",
         }) {
        CAPTURE(text);
        CHECK(data_digest_of(text) != digest);
    }
}

TEST_CASE("JSON: parts that cannot be told apart by their ends have different digests") {
    CHECK(data_digest_of(R"({"a":"1:b"})") != data_digest_of(R"({"a1:b":""})"));
    CHECK(data_digest_of(R"({"a":["b","c"]})") != data_digest_of(R"({"a":["bc"]})"));
    CHECK(data_digest_of(R"({"a":{"b":1,"c":2}})") != data_digest_of(R"({"a":{"b":1},"c":2})"));
    CHECK(data_digest_of(R"({"a":1,"b":2})") != data_digest_of(R"({"a":2,"b":1})"));
    CHECK(data_digest_of(R"({"a":1,"a":2})") != data_digest_of(R"({"a":2,"a":1})"));
}

TEST_CASE("JSON: ignored keys and parameters take no part") {
    const std::vector<std::string> ignored{"?utm_*", "views", "slash:comments"};
    const text::Digest digest = data_digest_of(R"({"id":1,"url":"https://a/?b=1"})", "", ignored);
    CHECK(data_digest_of(R"({"views":17,"id":1,"url":"http://a/?b=1\u0026utm_source=x"})", "", ignored) == digest);
    CHECK(data_digest_of(R"({"id":1,"url":"https:\/\/a\/?utm_x=y\u0026b=1","views":{"a":[{"b":1}]}})", "", ignored) ==
          digest);
    CHECK(data_digest_of(R"({"id":1,"slash:comments":[],"url":"https://a/?b=1"})", "", ignored) == digest);
    CHECK(data_digest_of(R"({"id":1,"url":"https://a/?b=2\u0026utm_source=x"})", "", ignored) != digest);
    CHECK(data_digest_of(R"({"id":1,"url":"https://a/?b=1","title":"a&utm_price=1"})", "", ignored) !=
          data_digest_of(R"({"id":1,"url":"https://a/?b=1","title":"a&utm_price=2"})", "", ignored));
    CHECK(data_digest_of(R"({"t":"https://a/?utm_x=1\nprice 5"})", "", ignored) !=
          data_digest_of(R"({"t":"https://a/?utm_x=1\nprice 6"})", "", ignored));
    CHECK(data_digest_of(R"({"t":"<thr:total>5</thr:total>"})", "", {"thr:total"}) !=
          data_digest_of(R"({"t":"<thr:total>6</thr:total>"})", "", {"thr:total"}));
}

TEST_CASE("CSV, FASTA and FASTQ: the digest says what the record says, not how") {
    const text::Digest row = data_digest_of("a,b\n1,x\n", "text/csv");
    CHECK(data_digest_of("\"a\",b\r\n\"1\",\"x\"\r\n", "text/csv") == row);
    CHECK(data_digest_of("b,a\nx,1", "text/csv") == row);
    CHECK(data_digest_of("a,b\n1,y\n", "text/csv") != row);
    CHECK(data_digest_of("a,c\n1,x\n", "text/csv") != row);
    CHECK(data_digest_of("a,b\n1,x\n", "text/csv", {"b"}) == data_digest_of("a,b\n1,y\n", "text/csv", {"b"}));
    const text::Digest sequence = data_digest_of(">s one\nACGT\nAC\n", "text/x-fasta");
    CHECK(data_digest_of(">s  one\r\nAC\r\nGTAC", "text/x-fasta") == sequence);
    CHECK(data_digest_of(">s one\nACGTAG\n", "text/x-fasta") != sequence);
    CHECK(data_digest_of(">s two\nACGTAC\n", "text/x-fasta") != sequence);
    const text::Digest read = data_digest_of("@r\nAC\nGT\n+\n!!!!\n", "text/x-fastq");
    CHECK(data_digest_of("@r\nACGT\n+r\n!!\n!!\n", "text/x-fastq") == read);
    CHECK(data_digest_of("@r\nACGT\n+\n!!!#\n", "text/x-fastq") != read);
}

TEST_CASE("Digests are taken only where they are asked for") {
    DocumentOptions options;
    CHECK(parsed(R"({"a":1})", options)->items()[0].content == text::Digest{});
    options.digests = DigestOptions{};
    CHECK(parsed(R"({"a":1})", options)->items()[0].content == text::Digest{});
    CHECK(parsed(R"({"version":"https://jsonfeed.org/version/1.1","items":[{"id":1}]})", options)->items()[0].content !=
          text::Digest{});
    CHECK(parsed("<item/>", options)->items()[0].content != text::Digest{});
    CHECK(parsed("<item/>")->items()[0].content == text::Digest{});
}
