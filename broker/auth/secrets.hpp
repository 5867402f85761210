// The cryptography that passwords, tokens and tickets share, from OpenSSL. Throws std::runtime_error if OpenSSL has no
// random numbers or no memory. Any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace sluice::auth {

using Sha256 = std::array<unsigned char, 32>;

Sha256 sha256(std::string_view text);
// Of `first`, a byte 0 and `second`, under a key (HMAC, RFC 2104).
Sha256 keyed_sha256(const Sha256& key, std::string_view first, std::string_view second);

void fill_randomly(std::span<unsigned char> bytes);
Sha256 random_key();
// So many letters and digits, each as likely as any other.
std::string random_letters(std::size_t count);

// Whether the bytes are the same. Takes the same time wherever they differ.
bool is_equal(std::span<const unsigned char> a, std::span<const unsigned char> b);

// Overwrites a text that was secret.
void wipe(std::string& secret) noexcept;

// RFC 4648 §5, for URLs, without padding.
std::string base64url_text(std::span<const unsigned char> bytes);

// "sha256:" and 64 hexadecimal digits, as files have it.
std::string digest_text(const Sha256& digest);
std::optional<Sha256> parse_digest(std::string_view text);

// Finds digests, which are as good as random, in a table.
struct Sha256Hash {
    std::size_t operator()(const Sha256& digest) const;
};

}  // namespace sluice::auth
