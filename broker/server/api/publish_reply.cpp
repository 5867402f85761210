#include "broker/server/api/publish_reply.hpp"

#include <array>
#include <boost/json/serialize.hpp>
#include <cstdint>
#include <spdlog/fmt/compile.h>
#include <string>
#include <string_view>

#include "broker/server/api/document_faults.hpp"
#include "protocol/feed/data/json_text.hpp"

namespace sluice::server {

namespace {

struct Counts {
    std::uint64_t received, added, updated, unchanged, first_id, last_id;
};

// Written as text, since a tree of values would cost more than the rest of the reply.
HttpReply reply_of(const std::string& stream, const Counts& counts, store::Durability durability,
                   std::string_view faults) {
    std::array<char, 256> numbers;  // with their names
    HttpReply reply;
    reply.status = 202;
    std::string& body = reply.body;
    body.reserve(stream.size() + numbers.size() + faults.size());
    body = R"({"stream":)";
    feed::append_json_string(body, stream);
    char* end = fmt::format_to(numbers.data(), FMT_COMPILE(R"(,"received":{},"new":{},"updated":{},"unchanged":{})"),
                               counts.received, counts.added, counts.updated, counts.unchanged);
    if (counts.first_id != 0)
        end = fmt::format_to(end, FMT_COMPILE(R"(,"first_id":{},"last_id":{})"), counts.first_id, counts.last_id);
    else
        end = fmt::format_to(end, FMT_COMPILE(R"(,"first_id":null,"last_id":null)"));
    end = fmt::format_to(end, FMT_COMPILE(R"(,"stored":"{}")"), durability_name(durability));
    body.append(numbers.data(), end);
    if (!faults.empty()) body.append(",").append(faults);
    body += '}';
    return reply;
}

}  // namespace

HttpReply accepted_reply(const broker::Publication& publication, const broker::PublishResult& result,
                         store::Durability durability) {
    const Counts counts{result.received,  result.added,    result.updated,
                        result.unchanged, result.first_id, result.last_id};
    return reply_of(publication.stream, counts, durability, fault_members(*publication.document));
}

HttpReply accepted_reply(const std::string& stream, const store::StoredReply& reply, store::Durability durability) {
    const Counts counts{reply.received, reply.added, reply.updated, reply.unchanged, reply.first_id, reply.last_id};
    return reply_of(stream, counts, durability, reply.faults);
}

// Few documents have any. Their texts are quoted as in other replies.
std::string fault_members(const feed::Document& document) {
    if (document.refusals().count == 0 && document.repairs().empty()) return {};
    boost::json::object faults;
    add_document_faults(faults, document);
    const std::string text = boost::json::serialize(faults);
    return text.substr(1, text.size() - 2);
}

const char* durability_name(store::Durability durability) {
    switch (durability) {
        case store::Durability::synced:
            return "synced";
        case store::Durability::written:
            return "written";
        case store::Durability::memory:
            break;
    }
    return "memory";
}

}  // namespace sluice::server
