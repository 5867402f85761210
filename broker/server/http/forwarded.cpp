#include "broker/server/http/forwarded.hpp"

#include <algorithm>
#include <array>
#include <boost/beast/core/string.hpp>
#include <string>

#include "broker/server/net/plain_address.hpp"
#include "protocol/text/ascii.hpp"

namespace sluice::server {

namespace asio = boost::asio;

namespace {

constexpr std::size_t address_bytes_max = 45;  // of the longest IPv6 address with an IPv4 address at its end
constexpr std::size_t port_digits_max = 5;
constexpr std::size_t none = std::string_view::npos;

bool is_obfuscated(std::string_view text) {
    return text.size() > 1 && text.front() == '_' && std::all_of(text.begin(), text.end(), [](char c) {
               return text::is_ascii_letter(c) || text::is_ascii_digit(c) || c == '.' || c == '_' || c == '-';
           });
}

bool is_port(std::string_view text) {
    const bool is_number =
        !text.empty() && text.size() <= port_digits_max && std::all_of(text.begin(), text.end(), text::is_ascii_digit);
    return is_number || is_obfuscated(text);
}

// A zone, as in fe80::1%eth0, is that of another machine.
std::optional<asio::ip::address> parse_address(std::string_view text) {
    if (text.size() > address_bytes_max || text.find('%') != none || text.find('\0') != none) return std::nullopt;
    boost::system::error_code error;
    const asio::ip::address address = asio::ip::make_address(std::string(text), error);
    return error ? std::nullopt : std::optional(plain_address(address));
}

// The quotation mark at `at` belongs to the quoted text if an odd number of backslashes precedes it.
bool is_escaped(std::string_view text, std::size_t at) {
    const std::size_t other = text.substr(0, at).find_last_not_of('\\');
    return (at - (other == none ? 0 : other + 1)) % 2 != 0;
}

// The offset of the last `separator` that is not quoted.
std::size_t find_last(std::string_view text, char separator) {
    bool is_quoted = false;
    for (std::size_t at = text.size(); at-- > 0;) {
        if (text[at] == '"' && !is_escaped(text, at)) is_quoted = !is_quoted;
        if (text[at] == separator && !is_quoted) return at;
    }
    return none;
}

// Takes the text behind the last separator off the end.
std::string_view take_last(std::string_view& rest, char separator, bool has_quotes) {
    const std::size_t at = has_quotes ? find_last(rest, separator) : rest.rfind(separator);
    const std::string_view last = at == none ? rest : rest.substr(at + 1);
    rest = at == none ? std::string_view() : rest.substr(0, at);
    return text::trim(last);
}

// Of a token or a quoted text. No value if the quotes are not at its ends.
std::optional<std::string> unquoted(std::string_view text) {
    if (!text.starts_with('"')) return text.find('"') == none ? std::optional<std::string>(text) : std::nullopt;
    if (text.size() < 2 || text.back() != '"' || is_escaped(text, text.size() - 1)) return std::nullopt;
    text = text.substr(1, text.size() - 2);
    std::string plain;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] == '"') return std::nullopt;
        if (text[at] == '\\') ++at;
        plain += text[at];
    }
    return plain;
}

// `for=192.0.2.60;proto=http;by=203.0.113.43`
std::optional<asio::ip::address> parse_element(std::string_view element) {
    std::optional<std::string_view> node;
    while (!element.empty()) {
        const std::string_view pair = take_last(element, ';', true);
        const std::size_t equals = pair.find('=');
        if (equals == none || !boost::beast::iequals(text::trim(pair.substr(0, equals)), "for")) continue;
        if (node) return std::nullopt;
        node = text::trim(pair.substr(equals + 1));
    }
    const auto plain = node ? unquoted(*node) : std::nullopt;
    return plain ? parse_node(*plain) : std::nullopt;
}

}  // namespace

std::optional<asio::ip::address> parse_node(std::string_view text) {
    const bool has_brackets = text.starts_with('[');
    const std::size_t bracket = text.find(']');
    if (has_brackets && bracket == none) return std::nullopt;
    const bool is_bare_v6 = !has_brackets && std::count(text.begin(), text.end(), ':') > 1;
    const std::size_t colon = is_bare_v6 ? none : text.find(':', has_brackets ? bracket : 0);
    if (colon != none && !is_port(text.substr(colon + 1))) return std::nullopt;
    const std::string_view name = text.substr(0, colon);
    if (!has_brackets) return parse_address(name);
    // In brackets there is an IPv6 address, maybe an IPv4-mapped one.
    if (name.back() != ']' || name.find(':') == none) return std::nullopt;
    return parse_address(name.substr(1, name.size() - 2));
}

void ForwardedWalk::go_back(std::string_view list, ForwardedSyntax syntax) {
    const bool has_elements = syntax == ForwardedSyntax::elements;
    while (!has_ended_ && !list.empty()) {
        const std::string_view last = take_last(list, ',', has_elements);
        if (++steps_ == steps_max) has_ended_ = true;
        if (!last.empty()) take(has_elements ? parse_element(last) : parse_node(last));
    }
}

void ForwardedWalk::take(const std::optional<asio::ip::address>& address) {
    if (address) client_ = *address;
    has_ended_ = has_ended_ || !address || !trusted_.contains(client_);
}

}  // namespace sluice::server
