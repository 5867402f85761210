// Tokens, which programs send in place of a password: "slt_ID_SECRET", with 32 random bytes in the secret. The users
// file has the id, by which a token is found, and the SHA-256 of the whole text. Any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "broker/auth/secrets.hpp"

namespace sluice::auth {

inline constexpr std::size_t token_id_letters = 10;

struct NewToken {
    std::string id;
    std::string text;    // for the user, once
    std::string digest;  // for the users file: "sha256:HEX"
};

// Throws std::runtime_error if OpenSSL has no random numbers.
NewToken make_token();

// As many letters and digits as an id has.
bool is_token_id(const std::string& text);

// The id in a text that has the form of a token; a view of the text.
std::optional<std::string_view> token_id(std::string_view text);

}  // namespace sluice::auth
