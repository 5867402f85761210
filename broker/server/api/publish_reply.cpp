#include "broker/server/api/publish_reply.hpp"

#include <boost/json/serialize.hpp>
#include <charconv>
#include <string>
#include <string_view>

#include "broker/server/api/document_faults.hpp"
#include "protocol/feed/data/json_text.hpp"

namespace sluice::server {

namespace json = boost::json;

namespace {

void add_number(std::string& body, std::string_view name, std::uint64_t number) {
    char digits[20];
    body.append(name).append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

void add_id(std::string& body, std::string_view name, std::uint64_t id) {
    if (id != 0) return add_number(body, name, id);
    body.append(name).append("null");
}

// Few documents have any. Their texts are quoted as in other replies.
void add_faults(std::string& body, const feed::Document& document) {
    json::object faults;
    add_document_faults(faults, document);
    body.back() = ',';  // in place of the bracket, which the faults end with, too
    body += std::string_view(json::serialize(faults)).substr(1);
}

}  // namespace

// Written as text, since a tree of values would cost more than the rest of the reply.
HttpReply accepted_reply(const broker::Publication& publication, const broker::PublishResult& result) {
    constexpr std::size_t numbers_bytes_max = 224;  // with their names
    HttpReply reply;
    reply.status = 202;
    std::string& body = reply.body;
    body.reserve(publication.stream.size() + numbers_bytes_max);
    body += R"({"stream":)";
    feed::append_json_string(body, publication.stream);
    add_number(body, R"(,"received":)", result.received);
    add_number(body, R"(,"new":)", result.added);
    add_number(body, R"(,"updated":)", result.updated);
    add_number(body, R"(,"unchanged":)", result.unchanged);
    add_id(body, R"(,"first_id":)", result.first_id);
    add_id(body, R"(,"last_id":)", result.last_id);
    body += '}';
    const feed::Document& document = *publication.document;
    if (document.refusals().count != 0 || !document.repairs().empty()) add_faults(body, document);
    return reply;
}

}  // namespace sluice::server
