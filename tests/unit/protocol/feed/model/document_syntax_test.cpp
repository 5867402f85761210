#include "protocol/feed/model/document_syntax.hpp"

#include <catch2/catch.hpp>

using namespace sluice::feed;

namespace {

std::optional<Syntax> syntax(const char* type, const char* text) { return document_syntax(type, text); }

}  // namespace

TEST_CASE("a media type names the syntax") {
    CHECK(syntax("application/x-ndjson", "[") == Syntax::json_lines);
    CHECK(syntax("Application/JSONL; charset=utf-8", "") == Syntax::json_lines);
    CHECK(syntax("application/cloudevents+json", "{}") == Syntax::cloud_event);
    CHECK(syntax("application/cloudevents-batch+json", "[]") == Syntax::cloud_events);
    CHECK(syntax("text/csv; header=absent", "{}") == Syntax::csv);
    CHECK(syntax("Text/Tab-Separated-Values", "{}") == Syntax::csv);
    CHECK(syntax("text/x-fasta", ">a") == Syntax::fasta);
    CHECK(syntax("chemical/seq-na-fasta", "@a") == Syntax::fastq);
    CHECK(syntax("application/x-fastq", "") == Syntax::fastq);
    for (const Syntax each : {Syntax::xml, Syntax::json_lines, Syntax::cloud_event, Syntax::cloud_events, Syntax::csv,
                              Syntax::fasta, Syntax::fastq})
        CHECK(syntax(std::string(media_type_of(each)).c_str(), "") == each);
}

TEST_CASE("what claims XML or JSON is one of the two") {
    for (const char* type : {"application/rss+xml", "text/rss+xml", "text/xml", "application/xml"}) {
        CHECK(syntax(type, " <rss/>") == Syntax::xml);
        CHECK(syntax(type, "\xEF\xBB\xBF\n{") == Syntax::json);
        CHECK(syntax(type, "") == Syntax::xml);
    }
    for (const char* type : {"application/json", "text/json", "application/feed+json", "application/vnd.x+json"}) {
        CHECK(syntax(type, " <rss/>") == Syntax::xml);
        CHECK(syntax(type, "[") == Syntax::json);
        CHECK(syntax(type, "{}\n{}") == Syntax::json);
        CHECK(syntax(type, "7") == Syntax::json);
    }
}

TEST_CASE("without a type the text shows the syntax") {
    for (const char* type : {"", "text/plain", "application/octet-stream", "application/x-www-form-urlencoded"}) {
        CHECK(syntax(type, "<a/>") == Syntax::xml);
        CHECK(syntax(type, "{\n\"a\":{}\n}") == Syntax::json);
        CHECK(syntax(type, "{}") == Syntax::json);
        CHECK(syntax(type, "{}\n") == Syntax::json);
        CHECK(syntax(type, "[{}\n{}]") == Syntax::json);
        CHECK(syntax(type, "{} \r\n\n {") == Syntax::json_lines);
    }
    CHECK(syntax("text/plain", ">a\nAC") == Syntax::fasta);
    CHECK(syntax("text/plain", "@a\nAC") == Syntax::fastq);
    CHECK(syntax("", ">a\nAC") == Syntax::xml);
    for (const char* type : {"text/html", "image/png", "application/zip", "application/cloudevents+xml",
                             "application/cloudevents-batch+xml", "application/cloudevents+avro",
                             "application/cloudevents", "Application/CloudEvents+XML; charset=utf-8"})
        CHECK(!syntax(type, "{}"));
}
