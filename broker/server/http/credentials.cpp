#include "broker/server/http/credentials.hpp"

#include <boost/beast/core/string.hpp>
#include <utility>

#include "broker/auth/secrets.hpp"
#include "protocol/text/ascii.hpp"
#include "protocol/text/base64.hpp"

namespace sluice::server {

namespace {

Credentials read_basic(std::string_view encoded) {
    Credentials read(Credentials::Kind::other);
    if (encoded.find_first_of(" \t") != std::string_view::npos) return read;
    auto decoded = text::decode_base64(encoded);
    if (!decoded) return read;
    if (const std::size_t colon = decoded->find(':'); colon != std::string::npos) {
        read.kind = Credentials::Kind::basic;
        read.name = decoded->substr(0, colon);
        read.secret = decoded->substr(colon + 1);
    }
    auth::wipe(*decoded);
    return read;
}

void append_part(std::string& to, std::string_view part) {
    to.append(std::to_string(part.size())).append(1, ':').append(part);
}

}  // namespace

Credentials::~Credentials() {
    if (!secret.empty()) auth::wipe(secret);
}

Credentials parse_authorization(std::string_view value) {
    value = text::trim(value);
    const std::size_t space = value.find(' ');
    if (space == std::string_view::npos) return Credentials(Credentials::Kind::other);
    const std::string_view scheme = value.substr(0, space), rest = text::trim(value.substr(space));
    if (boost::beast::iequals(scheme, "Basic")) return read_basic(rest);
    if (!boost::beast::iequals(scheme, "Bearer") || rest.empty()) return Credentials(Credentials::Kind::other);
    Credentials read(Credentials::Kind::bearer);
    read.secret = rest;
    return read;
}

Credentials credentials_of(const HeadFields& head) {
    const HeadFields::value_type* found = nullptr;
    for (const auto& field : head) {
        if (field.name() != http::field::authorization) continue;
        if (found != nullptr) return Credentials(Credentials::Kind::twice);
        found = &field;
    }
    return found == nullptr ? Credentials() : parse_authorization(found->value());
}

std::string_view ticket_of(const HttpRequest& request) {
    if (request.query.empty() || request.method != http::verb::get || request.path != "/v1/events") return {};
    for (const auto& [name, value] : request.query)
        if (name == ticket_parameter) return value;
    return {};
}

std::string target_without_ticket(const HttpRequest& request) {
    std::string target;
    append_part(target, request.path);
    for (const auto& [name, value] : request.query) {
        if (name == ticket_parameter) continue;
        append_part(target, name);
        append_part(target, value);
    }
    return target;
}

void drop_ticket(wire::Query& query) {
    std::erase_if(query, [](const auto& pair) { return pair.first == ticket_parameter; });
}

}  // namespace sluice::server
