#include "broker/auth/token.hpp"

#include <algorithm>

#include "protocol/text/ascii.hpp"

namespace sluice::auth {

namespace {

constexpr std::string_view token_prefix = "slt_";
constexpr std::size_t secret_letters = 43;  // of base64url, for 32 bytes

bool is_letter_or_digit(char c) { return text::is_ascii_letter(c) || text::is_ascii_digit(c); }

bool is_id(std::string_view text) {
    return text.size() == token_id_letters && std::all_of(text.begin(), text.end(), is_letter_or_digit);
}

}  // namespace

NewToken make_token() {
    NewToken token;
    token.id = random_letters(token_id_letters);
    const Sha256 secret = random_key();
    token.text = std::string(token_prefix) + token.id + "_" + base64url_text(secret);
    token.digest = digest_text(sha256(token.text));
    return token;
}

bool is_token_id(const std::string& text) { return is_id(text); }

std::optional<std::string_view> token_id(std::string_view text) {
    if (text.size() != token_prefix.size() + token_id_letters + 1 + secret_letters) return std::nullopt;
    if (!text.starts_with(token_prefix) || text[token_prefix.size() + token_id_letters] != '_') return std::nullopt;
    const std::string_view id = text.substr(token_prefix.size(), token_id_letters);
    return is_id(id) ? std::optional(id) : std::nullopt;
}

}  // namespace sluice::auth
