// Core NATS: PUB without acknowledgements, a PING behind a round's last one. The protocol is that of
// docs.nats.io/reference/reference-protocols/nats-protocol.
#include "tests/bench/fanout/drivers.hpp"
#include "tests/bench/fanout/peer_process.hpp"

namespace sluice::fanout {

std::optional<System> start_nats(const Scenario& scenario) {
    const auto program = find_program("nats-server");
    if (!program) return std::nullopt;
    auto folder = std::make_unique<TemporaryFolder>();
    const std::uint16_t port = free_port();
    // Nobody answers its pings.
    const std::string configuration =
        folder->write("nats.conf", "listen: \"127.0.0.1:" + std::to_string(port) + "\"\nping_interval: \"1h\"\n");

    Protocol protocol;
    const std::string connect = "CONNECT {\"verbose\":false,\"pedantic\":false}\r\n", ping = "PING\r\n";
    protocol.hello = connect + ping;
    protocol.welcome = "PONG\r\n";
    protocol.subscribe.assign(scenario.subscribers, connect + "SUB " + std::string(topic) + " 1\r\n" + ping);
    protocol.subscribed = "PONG\r\n";
    const Message document = scenario.document();
    protocol.message =
        framed("PUB " + std::string(topic) + " " + std::to_string(document.bytes.size()) + "\r\n", document, "\r\n");
    protocol.end = ping;
    protocol.reply_mark = "PONG";
    protocol.reply_good = "\r\n";
    const std::vector<std::string> command{*program, "-c", configuration};
    return System{"nats", std::make_unique<PeerProcess>(std::move(folder), command, port), std::move(protocol)};
}

}  // namespace sluice::fanout
