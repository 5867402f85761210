// How often a random test tries. Sanitized builds are slow, and find in a few rounds what they look for: that answers
// are right is tested where it is quick.
#pragma once

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

// `usual`; an eighth of it, and at least 1, in a sanitized build.
constexpr std::size_t fewer_if_sanitized(std::size_t usual) { return is_sanitized ? (usual + 7) / 8 : usual; }

}  // namespace sluice::testing
