#include "broker/auth/password.hpp"

#include <array>
#include <charconv>
#include <cstdint>
#include <openssl/evp.h>
#include <optional>
#include <stdexcept>

#include "broker/auth/secrets.hpp"
#include "protocol/text/base64.hpp"

namespace sluice::auth {

namespace {

constexpr std::uint64_t check_bytes_max = 64u << 20;
constexpr std::size_t salt_bytes = 16, salt_bytes_max = 64, hash_bytes = 32;

struct Costs {
    std::uint64_t ln = 14, r = 8, p = 5;

    std::uint64_t bytes() const { return 128 * r << ln; }
    bool are_within_bounds() const {
        return ln >= 10 && ln <= 20 && r >= 1 && r <= 16 && p >= 1 && p <= 16 && bytes() <= check_bytes_max;
    }
};

struct StoredHash {
    Costs costs;
    std::string salt;
    std::string hash;
};

// The text before `separator`, which is removed from `text` with it. None: it has no separator.
std::optional<std::string_view> cut(std::string_view& text, char separator) {
    const std::size_t at = text.find(separator);
    if (at == std::string_view::npos) return std::nullopt;
    const std::string_view part = text.substr(0, at);
    text.remove_prefix(at + 1);
    return part;
}

bool read_cost(std::string_view text, std::string_view name, std::uint64_t& cost) {
    if (!text.starts_with(name) || !text.substr(name.size()).starts_with('=')) return false;
    text.remove_prefix(name.size() + 1);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), cost);
    return error == std::errc() && end == text.data() + text.size() && text.size() <= 2;
}

// As PHC strings have it, without padding.
std::string phc_base64(std::span<const unsigned char> bytes) {
    std::string encoded = text::encode_base64({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    encoded.erase(encoded.find_last_not_of('=') + 1);
    return encoded;
}

// One form alone: another text for the same bytes is not base64 without padding.
std::optional<std::string> bytes_of(std::string_view base64) {
    const std::size_t padding = (4 - base64.size() % 4) % 4;
    const auto bytes = text::decode_base64(std::string(base64) + std::string(padding, '='));
    if (!bytes) return std::nullopt;
    const auto* begin = reinterpret_cast<const unsigned char*>(bytes->data());
    return phc_base64({begin, bytes->size()}) == base64 ? bytes : std::nullopt;
}

std::optional<StoredHash> parse_hash(std::string_view text) {
    StoredHash stored;
    if (cut(text, '$') != "" || cut(text, '$') != "scrypt") return std::nullopt;
    auto costs = cut(text, '$');
    const auto salt = cut(text, '$');
    if (!costs || !salt) return std::nullopt;
    const auto ln = cut(*costs, ','), r = cut(*costs, ',');
    if (!ln || !r || !read_cost(*ln, "ln", stored.costs.ln) || !read_cost(*r, "r", stored.costs.r) ||
        !read_cost(*costs, "p", stored.costs.p))
        return std::nullopt;
    auto salt_value = bytes_of(*salt), hash_value = bytes_of(text);
    if (!salt_value || !hash_value || salt_value->empty() || salt_value->size() > salt_bytes_max ||
        hash_value->size() != hash_bytes)
        return std::nullopt;
    stored.salt = std::move(*salt_value);
    stored.hash = std::move(*hash_value);
    return stored;
}

using PasswordHash = std::array<unsigned char, hash_bytes>;

PasswordHash scrypt_of(std::string_view password, std::string_view salt, const Costs& costs) {
    PasswordHash hash;
    const std::uint64_t memory_max = costs.bytes() + (1u << 20);  // with what it needs beside the table
    if (EVP_PBE_scrypt(password.data(), password.size(), reinterpret_cast<const unsigned char*>(salt.data()),
                       salt.size(), std::uint64_t{1} << costs.ln, costs.r, costs.p, memory_max, hash.data(),
                       hash.size()) != 1)
        throw std::runtime_error("scrypt failed, probably for lack of memory");
    return hash;
}

std::string phc_text(const Costs& costs, std::span<const unsigned char> salt, std::span<const unsigned char> hash) {
    return "$scrypt$ln=" + std::to_string(costs.ln) + ",r=" + std::to_string(costs.r) +
           ",p=" + std::to_string(costs.p) + "$" + phc_base64(salt) + "$" + phc_base64(hash);
}

}  // namespace

std::string hash_password(std::string_view password) {
    std::array<unsigned char, salt_bytes> salt;
    fill_randomly(salt);
    const Costs costs;
    const std::string_view salt_text(reinterpret_cast<const char*>(salt.data()), salt.size());
    return phc_text(costs, salt, scrypt_of(password, salt_text, costs));
}

bool check_password(std::string_view hash, std::string_view password) {
    const auto stored = parse_hash(hash);
    if (!stored || !stored->costs.are_within_bounds()) return false;
    // HMAC can't tell a byte 0 at the end of a password from none.
    const bool is_possible = password.size() <= password_bytes_max && password.find('\0') == std::string_view::npos;
    const PasswordHash found = scrypt_of(password.substr(0, password_bytes_max + 1), stored->salt, stored->costs);
    const auto* wanted = reinterpret_cast<const unsigned char*>(stored->hash.data());
    return is_equal(found, {wanted, stored->hash.size()}) && is_possible;
}

std::string find_fault_in_hash(const std::string& hash) {
    const auto stored = parse_hash(hash);
    if (!stored)
        return "not the hash of a password, $scrypt$ln=14,r=8,p=5$SALT$HASH: `sluice user passwd NAME` writes it";
    if (!stored->costs.are_within_bounds())
        return "the costs of the hash are out of bounds: ln is 10 to 20, r and p are 1 to 16, and it takes at most "
               "64 MiB";
    return {};
}

std::size_t password_check_bytes(std::string_view hash) {
    const auto stored = parse_hash(hash);
    return stored && stored->costs.are_within_bounds() ? static_cast<std::size_t>(stored->costs.bytes()) : 0;
}

// Not even a password that someone could guess: no text is known to have this hash.
const std::string& hash_of_nobody() {
    static const std::string hash = [] {
        const Sha256 salt = random_key(), value = random_key();
        return phc_text({}, std::span(salt).first<salt_bytes>(), value);
    }();
    return hash;
}

}  // namespace sluice::auth
