#include "broker/server/http/head_rules.hpp"

#include <boost/beast/core/string.hpp>

namespace sluice::server {

namespace {

std::optional<HttpReply> find_fault_in_framing(const RequestReader::Head& head) {
    const auto encoding = head.find(http::field::transfer_encoding);
    if (encoding == head.end()) return std::nullopt;
    if (head.version() < 11) return status_reply(400, "HTTP/1.0 has no Transfer-Encoding");
    if (head.count(http::field::content_length) != 0) {
        return status_reply(400, "Content-Length and Transfer-Encoding exclude each other");
    }
    if (!boost::beast::iequals(encoding->value(), "chunked")) {
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
    if (head.version() >= 11 && head.count(http::field::host) != 1) {
        return status_reply(400, "a request must have exactly one Host field");
    }
    if (head.method() == http::verb::unknown || head.method() == http::verb::connect) {
        return status_reply(501, "unknown method " + std::string(head.method_string()));
    }
    return std::nullopt;
}

}  // namespace sluice::server
