#include "broker/server/sse/annotations_json.hpp"

#include <cstdint>

#include "protocol/feed/data/json_text.hpp"

namespace sluice::server {

namespace {

void write_result(feed::JsonWriter& json, const broker::FoundAlignment& found) {
    const auto member = [&](const char* name, std::int64_t number) {
        json.name(name);
        json.number(number);
    };
    member("value", static_cast<std::int64_t>(found.value));
    member("score", found.score);
    if (!found.cigar.empty()) {
        member("query_start", std::int64_t{found.query_begin} + 1);
        member("query_end", found.query_end);
        member("text_start", std::int64_t{found.text_begin} + 1);
        member("text_end", found.text_end);
    }
    json.name("cigar");
    json.string(found.cigar);
}

void write_alignment(feed::JsonWriter& json, const broker::FoundAlignment& found) {
    json.open('{');
    json.name("filter");
    json.number(found.filter);
    json.name("leaf");
    json.string(found.leaf);
    if (found.omitted.empty()) {
        write_result(json, found);
    } else {
        json.name("omitted");
        json.string(found.omitted);
    }
    json.close('}');
}

}  // namespace

std::string annotations_json(const broker::Annotations& annotations) {
    feed::JsonWriter json;
    json.follow_members();
    if (annotations.alignments) {
        json.written_name(R"("alignments":)");
        json.open('[');
        for (const broker::FoundAlignment& found : *annotations.alignments) write_alignment(json, found);
        json.close(']');
    }
    if (!annotations.estimated.empty()) {
        json.written_name(R"("estimated":)");
        json.open('[');
        for (const std::string& condition : annotations.estimated) json.string(condition);
        json.close(']');
    }
    return json.take();
}

}  // namespace sluice::server
