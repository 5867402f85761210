// Any bytes as the beginning of a connection with the PROXY protocol: the header is found the same however it arrives
// and whatever follows it.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "broker/server/net/proxy_header.hpp"

using sluice::server::parse_proxy_header;
using State = sluice::server::ProxyHeader::State;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto all = parse_proxy_header(text);
    if (all.state == State::more && size >= sluice::server::ProxyHeader::v2_bytes_max) std::abort();
    if (all.state == State::done && (all.bytes == 0 || all.bytes > size)) std::abort();
    for (std::size_t n = 0; n < size && n <= sluice::server::ProxyHeader::v2_bytes_max; ++n) {
        const auto part = parse_proxy_header(text.substr(0, n));
        if (part.state == State::more) continue;
        if (part.state != all.state || part.bytes != all.bytes || part.client != all.client) std::abort();
    }
    return 0;
}
