// Any bytes as what a client sends on one connection of a whole broker: its session answers with well-formed replies
// and ends, with nothing left of it. The first byte says how the bytes are split.
#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>
#include <thread>

#include "broker/base/memory/memory_budget.hpp"
#include "broker/core/matching/registry.hpp"
#include "broker/server/api/services.hpp"
#include "broker/server/net/connections.hpp"
#include "tests/support/string_connection.hpp"
#include "tests/unit/broker/support.hpp"

namespace {

using sluice::broker::RunningBroker;
using sluice::testing::StringConnection;

[[noreturn]] void fail(std::string_view why, std::string_view text = {}) {
    std::cerr << why << '\n' << text << '\n';
    std::abort();
}

boost::asio::io_context& io() {
    static boost::asio::io_context context(1);
    return context;
}

RunningBroker& broker() {
    static RunningBroker running({"limits.memory=268435456", "limits.document_bytes=100000", "limits.streams=50",
                                  "publish.wait=1ms", "matcher.apply_delay=0us"});
    return running;
}

// The length of the body; npos: up to the end. HEAD has none, but the fuzzer's requests are not known here.
std::size_t body_bytes(std::string_view head) {
    constexpr std::string_view name = "\r\nContent-Length: ";
    const std::size_t at = head.find(name);
    if (at == std::string_view::npos) return at;
    std::size_t bytes = 0;
    std::from_chars(head.data() + at + name.size(), head.data() + head.size(), bytes);
    return bytes;
}

void check_replies(std::string_view text, bool may_be_head) {
    while (!text.empty()) {
        if (!text.starts_with("HTTP/1.1 ")) fail("no status line", text);
        int status = 0;
        std::from_chars(text.data() + 9, text.data() + std::min<std::size_t>(12, text.size()), status);
        if (status < 100 || status > 599) fail("no status", text);
        const std::size_t end = text.find("\r\n\r\n");
        if (end == std::string_view::npos) fail("an incomplete head", text);
        const std::size_t bytes = status == 100 || status == 204 ? 0 : body_bytes(text.substr(0, end + 2));
        text.remove_prefix(end + 4);
        if (bytes == std::string_view::npos) return;  // an event stream
        if (may_be_head && (text.empty() || text.starts_with("HTTP/1.1 "))) continue;
        if (bytes > text.size()) fail("an incomplete body", text);
        text.remove_prefix(bytes);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
    io();  // destroyed after the broker
    sluice::server::Services& services = broker().broker.services();
    std::string output;
    {
        StringConnection connection(io(), services, data[0] == 0 ? bytes.size() + 1 : data[0]);
        connection.send(bytes);
        connection.end();
        while (!connection.has_ended()) connection.run();
        output = connection.output();
    }
    check_replies(output, bytes.find("HEAD ") != std::string_view::npos);
    if (services.connections.size() != 0) fail("a connection is left");
    while (services.registry.size() != 0 || services.subscribers != 0) std::this_thread::yield();
    if (services.memory.used(sluice::base::MemoryUse::bodies) != 0) fail("a body's memory is left");
    return 0;
}
