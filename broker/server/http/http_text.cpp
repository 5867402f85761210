#include "broker/server/http/http_text.hpp"

#include <array>
#include <ctime>

#include "protocol/wire/http/problem.hpp"

namespace sluice::server {

namespace {

// "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n", formatted once a second per thread.
std::string_view date_field() {
    thread_local std::time_t second = 0;
    thread_local std::array<char, 64> text;
    thread_local std::size_t size = 0;
    const std::time_t now = std::time(nullptr);
    if (now != second) {
        std::tm utc{};
        gmtime_r(&now, &utc);
        size = std::strftime(text.data(), text.size(), "Date: %a, %d %b %Y %H:%M:%S GMT\r\n", &utc);
        second = now;
    }
    return {text.data(), size};
}

}  // namespace

std::string reply_head(const HttpReply& reply, const ReplyFraming& framing) {
    std::string head;
    head.reserve(256);
    head += "HTTP/1.1 ";
    head += std::to_string(reply.status);
    head += ' ';
    head += wire::reason_phrase(reply.status);
    head += "\r\nServer: sluice\r\n";
    head += date_field();
    if (reply.status != 204) {
        head += "Content-Type: ";
        head += reply.content_type;
        head += "\r\n";
        if (framing.content_length) {
            head += "Content-Length: ";
            head += std::to_string(*framing.content_length);
            head += "\r\n";
        } else if (framing.version >= 11) {
            head += "Transfer-Encoding: chunked\r\n";
        }
    }
    for (const auto& [name, value] : reply.headers) {
        head += name;
        head += ": ";
        head += value;
        head += "\r\n";
    }
    if (!framing.keep_alive) head += "Connection: close\r\n";
    if (framing.keep_alive && framing.version < 11) head += "Connection: keep-alive\r\n";
    head += "\r\n";
    return head;
}

}  // namespace sluice::server
