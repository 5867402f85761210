// Mosquitto: MQTT 3.1.1, PUBLISH with QoS 0, which nobody acknowledges; a PINGREQ behind a round's last one.
#include "tests/bench/fanout/drivers.hpp"
#include "tests/bench/fanout/peer_process.hpp"

namespace sluice::fanout {

namespace {

using namespace std::string_literals;

std::string mqtt_text(std::string_view text) {
    return std::string{static_cast<char>(text.size() / 256), static_cast<char>(text.size() % 256)} + std::string(text);
}

// The type of a packet, and how many bytes follow: seven bits a byte, the lowest first.
std::string packet_head(char type, std::size_t bytes) {
    std::string head(1, type);
    for (; bytes >= 128; bytes /= 128) head += static_cast<char>(bytes % 128 + 128);
    return head + static_cast<char>(bytes);
}

std::string packet(char type, const std::string& rest) { return packet_head(type, rest.size()) + rest; }

}  // namespace

std::optional<System> start_mosquitto(const Scenario& scenario) {
    const auto program = find_program("mosquitto");
    if (!program) return std::nullopt;
    auto folder = std::make_unique<TemporaryFolder>();
    const std::uint16_t port = free_port();
    const std::string configuration = folder->write(
        "mosquitto.conf", "listener " + std::to_string(port) +
                              " 127.0.0.1\nallow_anonymous true\npersistence false\nset_tcp_nodelay true\n"
                              "max_queued_messages 0\nlog_dest stderr\nlog_type error\nlog_type warning\n");

    Protocol protocol;
    // Level 4 of the protocol, a clean session, no keep-alive, no client identifier.
    const std::string connect = packet('\x10', mqtt_text("MQTT") + "\x04\x02\0\0"s + mqtt_text(""));
    protocol.hello = connect;
    protocol.welcome = "\x20\x02\0\0"s;
    protocol.subscribe.assign(scenario.subscribers, connect + packet('\x82', "\0\x01"s + mqtt_text(topic) + "\0"s));
    protocol.subscribed = "\x90\x03\0\x01\0"s;
    const Message document = scenario.document();
    const std::string name = mqtt_text(topic);
    protocol.message = framed(packet_head('\x30', name.size() + document.bytes.size()) + name, document, "");
    protocol.end = "\xC0\0"s;
    protocol.reply_mark = "\xD0"s;
    protocol.reply_good = "\0"s;
    const std::vector<std::string> command{*program, "-c", configuration};
    return System{"mosquitto", std::make_unique<PeerProcess>(std::move(folder), command, port), std::move(protocol)};
}

}  // namespace sluice::fanout
