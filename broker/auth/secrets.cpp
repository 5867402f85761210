#include "broker/auth/secrets.hpp"

#include <algorithm>
#include <cstring>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <stdexcept>

#include "protocol/text/ascii.hpp"
#include "protocol/text/base64.hpp"

namespace sluice::auth {

namespace {

constexpr std::string_view letters_and_digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
constexpr std::string_view digest_prefix = "sha256:";

}  // namespace

Sha256 sha256(std::string_view text) {
    Sha256 digest;
    if (EVP_Digest(text.data(), text.size(), digest.data(), nullptr, EVP_sha256(), nullptr) != 1)
        throw std::runtime_error("SHA-256 is not available");
    return digest;
}

Sha256 keyed_sha256(const Sha256& key, std::string_view first, std::string_view second) {
    std::string text;
    text.reserve(first.size() + 1 + second.size());
    text.append(first).append(1, '\0').append(second);
    Sha256 digest;
    const bool is_done =
        HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
             reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data(), nullptr) != nullptr;
    wipe(text);
    if (!is_done) throw std::runtime_error("HMAC-SHA-256 is not available");
    return digest;
}

void fill_randomly(std::span<unsigned char> bytes) {
    if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1)
        throw std::runtime_error("there are no random numbers");
}

Sha256 random_key() {
    Sha256 key;
    fill_randomly(key);
    return key;
}

// Six bits at a time, without those that stand for no letter or digit.
std::string random_letters(std::size_t count) {
    std::string text;
    while (text.size() < count) {
        std::array<unsigned char, 32> bytes;
        fill_randomly(bytes);
        for (const unsigned char byte : bytes)
            if ((byte & 63) < letters_and_digits.size() && text.size() < count) text += letters_and_digits[byte & 63];
    }
    return text;
}

bool is_equal(std::span<const unsigned char> a, std::span<const unsigned char> b) {
    return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

void wipe(std::string& secret) noexcept {
    OPENSSL_cleanse(secret.data(), secret.size());
    secret.clear();
}

std::string base64url_text(std::span<const unsigned char> bytes) {
    std::string encoded = text::encode_base64({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    encoded.erase(encoded.find_last_not_of('=') + 1);
    std::replace(encoded.begin(), encoded.end(), '+', '-');
    std::replace(encoded.begin(), encoded.end(), '/', '_');
    return encoded;
}

std::string digest_text(const Sha256& digest) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text(digest_prefix);
    for (const unsigned char byte : digest) {
        text += digits[byte >> 4];
        text += digits[byte & 15];
    }
    return text;
}

std::optional<Sha256> parse_digest(std::string_view text) {
    Sha256 digest;
    if (!text.starts_with(digest_prefix)) return std::nullopt;
    text.remove_prefix(digest_prefix.size());
    if (text.size() != 2 * digest.size()) return std::nullopt;
    for (std::size_t i = 0; i < digest.size(); ++i) {
        const int high = text::hex_digit(text[2 * i]), low = text::hex_digit(text[2 * i + 1]);
        if (high < 0 || low < 0) return std::nullopt;
        digest[i] = static_cast<unsigned char>(high << 4 | low);
    }
    return digest;
}

std::size_t Sha256Hash::operator()(const Sha256& digest) const {
    std::size_t hash;
    std::memcpy(&hash, digest.data(), sizeof hash);
    return hash;
}

}  // namespace sluice::auth
