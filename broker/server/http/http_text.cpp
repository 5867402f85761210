#include "broker/server/http/http_text.hpp"

#include <array>
#include <charconv>
#include <ctime>
#include <string_view>

#include "protocol/wire/http/problem.hpp"

namespace sluice::server {

namespace {

constexpr std::string_view json_type = "application/json", length_name = "Content-Length: ";
constexpr std::size_t usual_head_bytes = 256;  // few heads are longer

// The fields that every reply has, made once a second per thread:
// "Server: sluice\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
std::string_view common_fields(std::time_t now) {
    thread_local std::time_t second = 0;
    thread_local std::array<char, 80> text;
    thread_local std::size_t size = 0;
    if (now != second) {
        std::tm utc{};
        gmtime_r(&now, &utc);
        size = std::strftime(text.data(), text.size(), "Server: sluice\r\nDate: %a, %d %b %Y %H:%M:%S GMT\r\n", &utc);
        second = now;
    }
    return {text.data(), size};
}

void append_number(std::string& text, std::size_t number) {
    std::array<char, 20> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number);
    text.append(digits.data(), static_cast<std::size_t>(end.ptr - digits.data()));
}

void append_status_and_common_fields(std::string& head, unsigned status, std::time_t now) {
    head.append("HTTP/1.1 ");
    append_number(head, status);
    head.append(" ").append(wire::reason_phrase(status)).append("\r\n").append(common_fields(now));
}

void append_content_type(std::string& head, std::string_view type) {
    head.append("Content-Type: ").append(type).append("\r\n");
}

bool is_usual(const HttpReply& reply, const ReplyFraming& framing) {
    return (reply.status == 200 || reply.status == 202) && framing.content_length && reply.content_type == json_type;
}

// What a usual reply begins with, up to the number of its Content-Length. Made once a second per thread.
std::string_view usual_beginning(unsigned status, std::time_t now) {
    struct Beginning {
        std::time_t second = 0;
        std::array<char, 160> text{};
        std::size_t size = 0;
    };
    thread_local std::array<Beginning, 2> beginnings{};
    Beginning& beginning = beginnings[status == 202 ? 1u : 0u];
    if (beginning.second != now) {
        std::string text;
        append_status_and_common_fields(text, status, now);
        append_content_type(text, json_type);
        text.append(length_name);
        beginning.size = text.copy(beginning.text.data(), beginning.text.size());
        beginning.second = now;
    }
    return {beginning.text.data(), beginning.size};
}

}  // namespace

void append_reply_head(std::string& head, const HttpReply& reply, const ReplyFraming& framing) {
    const std::time_t now = std::time(nullptr);
    head.reserve(head.size() + usual_head_bytes);
    if (is_usual(reply, framing)) {
        head.append(usual_beginning(reply.status, now));
        append_number(head, *framing.content_length);
        head.append("\r\n");
    } else {
        append_status_and_common_fields(head, reply.status, now);
        if (reply.status != 204) {
            append_content_type(head, reply.content_type);
            if (framing.content_length) {
                head.append(length_name);
                append_number(head, *framing.content_length);
                head.append("\r\n");
            } else if (framing.version >= 11) {
                head.append("Transfer-Encoding: chunked\r\n");
            }
        }
    }
    for (const auto& [name, value] : reply.headers) head.append(name).append(": ").append(value).append("\r\n");
    if (!framing.keep_alive) head.append("Connection: close\r\n");
    if (framing.keep_alive && framing.version < 11) head.append("Connection: keep-alive\r\n");
    head.append("\r\n");
}

}  // namespace sluice::server
