#include "broker/server/api/publish_reply.hpp"

#include <boost/json/serialize.hpp>
#include <cstdint>
#include <string>
#include <string_view>

#include "broker/server/api/document_faults.hpp"
#include "protocol/feed/data/json_text.hpp"

namespace sluice::server {

namespace {

// Few documents have any. Their texts are quoted as in other replies.
void add_faults(std::string& body, const feed::Document& document) {
    boost::json::object faults;
    add_document_faults(faults, document);
    body.back() = ',';  // in place of the bracket, which the faults end with, too
    body += std::string_view(boost::json::serialize(faults)).substr(1);
}

}  // namespace

// Written as text, since a tree of values would cost more than the rest of the reply.
HttpReply accepted_reply(const broker::Publication& publication, const broker::PublishResult& result) {
    constexpr std::size_t numbers_bytes_max = 224;  // with their names
    HttpReply reply;
    reply.status = 202;
    reply.body.reserve(publication.stream.size() + numbers_bytes_max);
    feed::JsonWriter json(reply.body);
    const auto id_or_null = [](std::uint64_t id) { return id == 0 ? "null" : std::to_string(id); };
    json.open('{');
    json.written_name(R"("stream":)");
    json.string(publication.stream);
    json.written_name(R"("received":)");
    json.literal(std::to_string(result.received));
    json.written_name(R"("new":)");
    json.literal(std::to_string(result.added));
    json.written_name(R"("updated":)");
    json.literal(std::to_string(result.updated));
    json.written_name(R"("unchanged":)");
    json.literal(std::to_string(result.unchanged));
    json.written_name(R"("first_id":)");
    json.literal(id_or_null(result.first_id));
    json.written_name(R"("last_id":)");
    json.literal(id_or_null(result.last_id));
    json.close('}');
    const feed::Document& document = *publication.document;
    if (document.refusals().count != 0 || !document.repairs().empty()) add_faults(reply.body, document);
    return reply;
}

}  // namespace sluice::server
