#include "broker/server/api/publish_reply.hpp"

#include <array>
#include <boost/json/serialize.hpp>
#include <spdlog/fmt/compile.h>
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
    std::array<char, 224> numbers;  // with their names
    HttpReply reply;
    reply.status = 202;
    std::string& body = reply.body;
    body.reserve(publication.stream.size() + numbers.size());
    body = R"({"stream":)";
    feed::append_json_string(body, publication.stream);
    char* end = fmt::format_to(numbers.data(), FMT_COMPILE(R"(,"received":{},"new":{},"updated":{},"unchanged":{})"),
                               result.received, result.added, result.updated, result.unchanged);
    if (result.first_id != 0)
        end = fmt::format_to(end, FMT_COMPILE(R"(,"first_id":{},"last_id":{}}})"), result.first_id, result.last_id);
    else
        end = fmt::format_to(end, FMT_COMPILE(R"(,"first_id":null,"last_id":null}})"));
    body.append(numbers.data(), end);
    const feed::Document& document = *publication.document;
    if (document.refusals().count != 0 || !document.repairs().empty()) add_faults(body, document);
    return reply;
}

}  // namespace sluice::server
