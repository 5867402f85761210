// Any bytes as a request target, and as the data of a server-sent event.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "protocol/wire/http/query.hpp"
#include "protocol/wire/sse/sse.hpp"

namespace {

// A reader of the stream must see the lines of the text and nothing else.
void check_sse(std::string_view text) {
    std::string out;
    sluice::wire::each_sse_line(text, [&](std::string_view line) { out.append("data: ").append(line) += '\n'; });
    if (out.find('\r') != std::string::npos || out.back() != '\n') std::abort();
    for (std::size_t at = 0; at < out.size(); at = out.find('\n', at) + 1) {
        if (out.compare(at, 6, "data: ") != 0) std::abort();
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    check_sse(text);
    if (const auto target = sluice::wire::parse_target(text)) {
        std::size_t decoded = 0;
        for (const auto& [name, value] : target->query) decoded += name.size() + value.size();
        if (target->path.size() + decoded > size) std::abort();
    }
    return 0;
}
