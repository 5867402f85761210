#include "broker/server/http/http_text.hpp"

#include <array>
#include <ctime>
#include <iterator>
#include <spdlog/fmt/compile.h>

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

void append_reply_head(std::string& head, const HttpReply& reply, const ReplyFraming& framing) {
    fmt::memory_buffer text;
    const auto append = std::back_inserter(text);
    fmt::format_to(append, FMT_COMPILE("HTTP/1.1 {} {}\r\nServer: sluice\r\n{}"), reply.status,
                   wire::reason_phrase(reply.status), date_field());
    if (reply.status != 204) {
        fmt::format_to(append, FMT_COMPILE("Content-Type: {}\r\n"), reply.content_type);
        if (framing.content_length)
            fmt::format_to(append, FMT_COMPILE("Content-Length: {}\r\n"), *framing.content_length);
        else if (framing.version >= 11)
            text.append(std::string_view("Transfer-Encoding: chunked\r\n"));
    }
    for (const auto& [name, value] : reply.headers) fmt::format_to(append, FMT_COMPILE("{}: {}\r\n"), name, value);
    if (!framing.keep_alive) text.append(std::string_view("Connection: close\r\n"));
    if (framing.keep_alive && framing.version < 11) text.append(std::string_view("Connection: keep-alive\r\n"));
    text.append(std::string_view("\r\n"));
    head.append(text.data(), text.size());
}

}  // namespace sluice::server
