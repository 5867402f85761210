// Reads what a request says about who sends it. Pure functions; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "broker/server/http/http_types.hpp"

namespace sluice::server {

struct Credentials {
    enum class Kind : std::uint8_t {
        none,
        basic,   // RFC 7617
        bearer,  // RFC 6750
        twice,   // two fields: it is in doubt which one counts
        other,   // a scheme that is not known, or not well-formed
    };

    Kind kind = Kind::none;
    std::string name{};    // of a user, as it was given
    std::string secret{};  // the password or the token

    Credentials() = default;
    explicit Credentials(Kind of) : kind(of) {}
    Credentials(Credentials&&) = default;
    Credentials& operator=(Credentials&&) = default;
    ~Credentials();  // overwrites the secret
};

// The value of an Authorization field.
Credentials parse_authorization(std::string_view value);
// Those in the head of a request. Without an Authorization field it costs one comparison a field.
Credentials credentials_of(const HeadFields& head);

// The ticket in the query of a request that may have one, GET /v1/events; "": none.
std::string_view ticket_of(const HttpRequest& request);
// The path and the query without the ticket, as one text: different for different ones.
std::string target_without_ticket(const HttpRequest& request);

// Endpoints know no tickets.
void drop_ticket(wire::Query& query);

inline constexpr std::string_view ticket_parameter = "ticket";

}  // namespace sluice::server
