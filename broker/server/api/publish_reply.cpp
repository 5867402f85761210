#include "broker/server/api/publish_reply.hpp"

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <utility>

#include "broker/server/api/document_faults.hpp"

namespace sluice::server {

namespace json = boost::json;

namespace {

json::value id_or_null(std::uint64_t id) { return id == 0 ? json::value(nullptr) : json::value(id); }

}  // namespace

HttpReply accepted_reply(const broker::Publication& publication, const broker::PublishResult& result) {
    json::object body{{"stream", publication.stream},
                      {"received", result.received},
                      {"new", result.added},
                      {"updated", result.updated},
                      {"unchanged", result.unchanged},
                      {"first_id", id_or_null(result.first_id)},
                      {"last_id", id_or_null(result.last_id)}};
    add_document_faults(body, *publication.document);
    HttpReply reply;
    reply.status = 202;
    reply.body = json::serialize(body);
    return reply;
}

}  // namespace sluice::server
