// Any bytes as the value of an Authorization field, the hash of a password and a token: read or refused, and what is
// read from a field is what it was made of.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "broker/auth/password.hpp"
#include "broker/auth/token.hpp"
#include "broker/server/http/credentials.hpp"
#include "protocol/text/base64.hpp"

using namespace sluice;
using server::Credentials;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    const Credentials read = server::parse_authorization(text);
    const bool has_secret = read.kind == Credentials::Kind::basic || read.kind == Credentials::Kind::bearer;
    if (!has_secret && (read.kind != Credentials::Kind::other || !read.secret.empty() || !read.name.empty()))
        std::abort();
    if (const auto id = auth::token_id(text); id && !auth::is_token_id(std::string(*id))) std::abort();
    // A hash that is valid has its costs; checking it would take long.
    if (auth::find_fault_in_hash(text).empty() != (auth::password_check_bytes(text) != 0)) std::abort();
    const std::size_t colon = text.find(':');
    if (colon == std::string::npos) return 0;
    const Credentials basic = server::parse_authorization("basic " + text::encode_base64(text));
    if (basic.kind != Credentials::Kind::basic || basic.name != text.substr(0, colon) ||
        basic.secret != text.substr(colon + 1))
        std::abort();
    return 0;
}
