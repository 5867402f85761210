#include "broker/server/http/head_rules.hpp"

#include <algorithm>
#include <boost/beast/core/string.hpp>
#include <cstddef>

namespace sluice::server {

namespace {

std::size_t count(const RequestReader::Head& head, http::field name) {
    return static_cast<std::size_t>(
        std::count_if(head.begin(), head.end(), [&](const auto& field) { return field.name() == name; }));
}

std::optional<HttpReply> find_fault_in_framing(const RequestReader::Head& head) {
    if (count(head, http::field::transfer_encoding) == 0) return std::nullopt;
    if (head.version() < 11) return status_reply(400, "HTTP/1.0 has no Transfer-Encoding");
    if (count(head, http::field::content_length) != 0) {
        return status_reply(400, "Content-Length and Transfer-Encoding exclude each other");
    }
    if (!boost::beast::iequals(field_value(head, http::field::transfer_encoding), "chunked")) {
        return status_reply(501, "the only supported transfer coding is chunked");
    }
    return std::nullopt;
}

}  // namespace

std::optional<HttpReply> find_fault_in_head(const RequestReader::Head& head) {
    if (auto reply = find_fault_in_framing(head)) {
        reply->closes = true;
        return reply;
    }
    if (head.version() >= 11 && count(head, http::field::host) != 1) {
        return status_reply(400, "a request must have exactly one Host field");
    }
    if (head.method() == http::verb::unknown || head.method() == http::verb::connect) {
        return status_reply(501, "unknown method " + std::string(head.method_string()));
    }
    return std::nullopt;
}

}  // namespace sluice::server
