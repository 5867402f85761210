// Any bytes as a configuration file: accepted, or refused with a position inside the text.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "config/load.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    for (const auto& error : sluice::config::parse_config("fuzz.yaml", text).errors) {
        if (error.message.empty() || error.line > size + 1) std::abort();
    }
    return 0;
}
