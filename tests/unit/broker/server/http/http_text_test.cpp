#include "broker/server/http/http_text.hpp"

#include <catch2/catch.hpp>
#include <initializer_list>
#include <string>
#include <utility>

using sluice::server::append_reply_head;
using sluice::server::HttpReply;
using sluice::server::ReplyFraming;

namespace {

// Without the date, whose place and form are checked.
std::string head_of(const HttpReply& reply, const ReplyFraming& framing) {
    const std::string before = "what precedes it\n", date = "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n";
    std::string head = before;
    append_reply_head(head, reply, framing);
    REQUIRE(head.starts_with(before));
    head.erase(0, before.size());
    const std::size_t at = head.find("Date: ");
    REQUIRE(at != std::string::npos);
    REQUIRE(head.find("\r\n", at) == at + date.size() - 2);
    CHECK(head.substr(at - 16, 16) == "Server: sluice\r\n");
    CHECK(head.substr(at + date.size() - 6, 6) == " GMT\r\n");
    return head.erase(at, date.size());
}

}  // namespace

TEST_CASE("the head of a reply with JSON, whatever its status") {
    for (const auto& [status, line] :
         {std::pair(200u, "HTTP/1.1 200 OK\r\n"), std::pair(201u, "HTTP/1.1 201 Created\r\n"),
          std::pair(202u, "HTTP/1.1 202 Accepted\r\n")}) {
        HttpReply reply;
        reply.status = status;
        for (const std::size_t bytes : {0u, 7u, 1'234'567u}) {
            const std::string rest =
                "Server: sluice\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(bytes) + "\r\n";
            CHECK(head_of(reply, {11, true, bytes}) == line + rest + "\r\n");
            CHECK(head_of(reply, {11, false, bytes}) == line + rest + "Connection: close\r\n\r\n");
            CHECK(head_of(reply, {10, true, bytes}) == line + rest + "Connection: keep-alive\r\n\r\n");
            reply.headers.emplace_back("Retry-After", "1");
            CHECK(head_of(reply, {11, true, bytes}) == line + rest + "Retry-After: 1\r\n\r\n");
            reply.headers.clear();
        }
    }
}

TEST_CASE("the head of a reply with another content type, without a length or without a body") {
    HttpReply reply;
    reply.content_type = "text/event-stream";
    const std::string begin = "HTTP/1.1 200 OK\r\nServer: sluice\r\nContent-Type: text/event-stream\r\n";
    CHECK(head_of(reply, {11, true, 5}) == begin + "Content-Length: 5\r\n\r\n");
    CHECK(head_of(reply, {11, false, {}}) == begin + "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n");
    CHECK(head_of(reply, {10, false, {}}) == begin + "Connection: close\r\n\r\n");
    reply.status = 204;
    reply.headers.emplace_back("Allow", "GET");
    CHECK(head_of(reply, {11, true, 0}) == "HTTP/1.1 204 No Content\r\nServer: sluice\r\nAllow: GET\r\n\r\n");
}
