// How often a random test tries. Sanitized builds are slow, and find in a few rounds what they look for: that answers
// are right is tested where it is quick.
#pragma once

#include <algorithm>
#include <cstddef>

namespace sluice::testing {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)  // GCC
constexpr bool is_sanitized = true;
#elif defined(__has_feature)  // clang
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool is_sanitized = true;
#else
constexpr bool is_sanitized = false;
#endif
#else
constexpr bool is_sanitized = false;
#endif

// `usual`; in a sanitized build an eighth of it, but not below 10.
constexpr std::size_t fewer_if_sanitized(std::size_t usual) {
    return is_sanitized ? std::max(std::min<std::size_t>(usual, 10), usual / 8) : usual;
}

}  // namespace sluice::testing
