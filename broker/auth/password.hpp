// Passwords as the users file has them: scrypt hashes (RFC 7914) in PHC strings,
// "$scrypt$ln=14,r=8,p=5$SALT$HASH", base64 without padding. Both take a fifth of a second and 16 MiB, so that a stolen
// file is of little use. Any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sluice::auth {

inline constexpr std::size_t password_bytes_max = 1'024;  // longer ones are wrong, and those with a byte 0

// With a salt of its own. Throws std::runtime_error if OpenSSL has no random numbers or no memory.
std::string hash_password(std::string_view password);

// Whether it is the password of the hash; false for a hash that is not valid. Takes as long for a wrong password as for
// the right one. Throws std::runtime_error if OpenSSL has no memory.
bool check_password(std::string_view hash, std::string_view password);

// What is wrong with a hash, or "": its form, or a cost out of bounds (ln 10 to 20, r and p 1 to 16, at most 64 MiB).
std::string find_fault_in_hash(const std::string& hash);

// What check_password() needs, in bytes. 0: the hash is not valid.
std::size_t password_check_bytes(std::string_view hash);

// A hash that no password has, with the costs of hash_password(): to take as long for users who do not exist.
const std::string& hash_of_nobody();

}  // namespace sluice::auth
