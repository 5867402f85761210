#include "broker/cli/client/server_url.hpp"

#include <boost/url.hpp>
#include <charconv>
#include <cstdint>
#include <sys/un.h>

namespace sluice::cli {

namespace urls = boost::urls;

namespace {

constexpr std::string_view unix_scheme = "unix:";

// Checked here because resolvers accept any number, modulo 65536.
bool is_port(std::string_view text) {
    std::uint16_t port = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
    return error == std::errc{} && end == text.data() + text.size() && port != 0;
}

bool is_local_name(std::string name) {
    for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    if (name.ends_with('.')) name.pop_back();
    return name == "localhost" || name.ends_with(".localhost");
}

bool is_this_machine(const auto& address) { return address.is_loopback() || address.is_unspecified(); }

// The IPv4 address in ::ffff:192.0.2.1.
urls::ipv4_address mapped_address(const urls::ipv6_address& address) {
    const auto bytes = address.to_bytes();
    return urls::ipv4_address(urls::ipv4_address::bytes_type{bytes[12], bytes[13], bytes[14], bytes[15]});
}

bool is_local(const urls::url_view& url) {
    switch (url.host_type()) {
        case urls::host_type::ipv4:
            return is_this_machine(url.host_ipv4_address());
        case urls::host_type::ipv6: {
            const auto address = url.host_ipv6_address();
            return address.is_v4_mapped() ? is_this_machine(mapped_address(address)) : is_this_machine(address);
        }
        default:
            return is_local_name(url.host());
    }
}

// `url` begins with unix_scheme.
boost::system::result<ServerUrl, HttpError> parse_socket_url(std::string_view url) {
    constexpr std::size_t path_max = sizeof(sockaddr_un::sun_path) - 1;
    const std::string_view path = url.substr(unix_scheme.size());
    if (path.empty() || path.size() > path_max)
        return HttpError{"the server '" + std::string(url) + "' is not of the form unix:PATH, with a path of 1 to " +
                         std::to_string(path_max) + " bytes"};
    return ServerUrl{
        .url = std::string(url), .authority = std::string(url), .socket_path = std::string(path), .is_local = true};
}

// "; did you mean http://HOST[:PORT]?" for HOST[:PORT], or "".
std::string suggestion(std::string_view url) {
    const std::string meant = "http://" + std::string(url);
    if (url.find('/') != std::string_view::npos || !parse_server_url(meant)) return "";
    return "; did you mean " + meant + "?";
}

}  // namespace

boost::system::result<ServerUrl, HttpError> parse_server_url(std::string_view url) {
    if (url.starts_with(unix_scheme)) return parse_socket_url(url);
    const std::string wrong = "the server '" + std::string(url) +
                              "' is not of the form http[s]://HOST[:PORT][/PATH] or unix:PATH" + suggestion(url);
    const auto parsed = urls::parse_uri(url);
    if (!parsed) return HttpError{wrong};
    const bool is_http = parsed->scheme_id() == urls::scheme::http || parsed->scheme_id() == urls::scheme::https;
    if (!is_http || parsed->host().empty()) return HttpError{wrong};
    if (parsed->has_userinfo() || parsed->has_query() || parsed->has_fragment()) return HttpError{wrong};
    if (parsed->has_port() && !is_port(parsed->port()))
        return HttpError{wrong + ": '" + std::string(parsed->port()) + "' is not a port"};
    ServerUrl server;
    server.url = std::string(url);
    while (server.url.ends_with('/')) server.url.pop_back();
    server.authority = std::string(parsed->encoded_host_and_port());
    server.is_tls = parsed->scheme_id() == urls::scheme::https;
    server.is_local = is_local(*parsed);
    return server;
}

}  // namespace sluice::cli
