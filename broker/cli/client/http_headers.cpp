#include "broker/cli/client/http_headers.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <strings.h>

namespace sluice::cli {

namespace {

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view white = " \t\r\n";
    const auto begin = text.find_first_not_of(white);
    return begin == std::string_view::npos ? "" : text.substr(begin, text.find_last_not_of(white) + 1 - begin);
}

template <class Number>
std::optional<Number> read_number(std::string_view text) {
    Number number{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return number;
}

}  // namespace

bool read_header(std::string_view line, HttpReply& reply) {
    line = trimmed(line);
    if (line.empty()) return true;
    if (line.starts_with("HTTP/")) {
        reply = {};
        const std::string_view after = trimmed(line.substr(std::min(line.find(' '), line.size())));
        reply.status = read_number<unsigned>(after.substr(0, 3)).value_or(0);
        return false;
    }
    const auto colon = line.find(':');
    if (colon == std::string_view::npos) return false;
    const auto name = line.substr(0, colon), value = trimmed(line.substr(colon + 1));
    const auto is = [&](std::string_view wanted) {
        return name.size() == wanted.size() && strncasecmp(name.data(), wanted.data(), name.size()) == 0;
    };
    if (is("content-type")) reply.content_type = value;
    if (is("location")) reply.location = value;
    if (is("etag")) reply.etag = value;
    if (is("server")) reply.server = value;
    if (is("retry-after")) reply.retry_after_seconds = read_number<unsigned>(value);
    if (is("sluice-heartbeat")) reply.heartbeat_seconds = read_number<double>(value);
    return false;
}

}  // namespace sluice::cli
