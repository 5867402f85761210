// Any bytes as the lists of X-Forwarded-For and Forwarded: a proxy's element at the end is read the same whatever comes
// before it, and an address that is not a proxy's ends the walk.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "broker/server/http/forwarded.hpp"

using namespace sluice::server;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const TrustedProxies trusted({"10.0.0.0/8", "2001:db8::/32"});
    const auto peer = boost::asio::ip::make_address("10.0.0.1"), client = boost::asio::ip::make_address("192.0.2.1");
    const std::string text(reinterpret_cast<const char*>(data), size);
    for (const ForwardedSyntax syntax : {ForwardedSyntax::addresses, ForwardedSyntax::elements}) {
        ForwardedWalk walk(trusted, peer), after(trusted, peer);
        walk.go_back(text, syntax);
        const auto found = walk.client();
        if (!trusted.contains(found)) {
            walk.go_back("198.51.100.7, for=198.51.100.7", syntax);
            if (walk.client() != found) std::abort();
        }
        const bool has_elements = syntax == ForwardedSyntax::elements;
        after.go_back(text + (has_elements ? ", for=\"192.0.2.1:80\", For=\"[2001:db8::1]\";by=\"a,\\\"b\""
                                           : ", 192.0.2.1:80, 10.1.1.1"),
                      syntax);
        if (after.client() != client) std::abort();
    }
    if (const auto address = parse_node(text)) {
        if (parse_node(address->to_string()) != address) std::abort();
    }
    return 0;
}
