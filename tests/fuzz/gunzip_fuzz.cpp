// Any bytes as a compressed body: decompressed within the bound, or refused.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "protocol/wire/http/gunzip.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    constexpr std::size_t bytes_max = 1u << 16;
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    if (const auto plain = sluice::wire::gunzip(bytes, bytes_max); plain && plain->size() > bytes_max) std::abort();
    return 0;
}
