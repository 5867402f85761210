// Redis: PUBLISH, pipelined; the reply to each is the number of subscribers that got it.
#include "tests/bench/fanout/drivers.hpp"
#include "tests/bench/fanout/peer_process.hpp"

namespace sluice::fanout {

namespace {

std::string bulk_head(std::size_t bytes) { return "$" + std::to_string(bytes) + "\r\n"; }

}  // namespace

std::optional<System> start_redis(const Scenario& scenario) {
    const auto program = find_program("redis-server");
    if (!program) return std::nullopt;
    auto folder = std::make_unique<TemporaryFolder>();
    const std::uint16_t port = free_port();
    const std::string configuration =
        folder->write("redis.conf", "bind 127.0.0.1\nport " + std::to_string(port) + "\ndir " + folder->path() +
                                        "\ndaemonize no\nsave \"\"\nappendonly no\n"
                                        "client-output-buffer-limit pubsub 0 0 0\n");

    Protocol protocol;
    const std::string channel = bulk_head(topic.size()) + std::string(topic) + "\r\n";
    protocol.subscribe.assign(scenario.subscribers, "*2\r\n$9\r\nSUBSCRIBE\r\n" + channel);
    protocol.subscribed = channel + ":1\r\n";
    const Message document = scenario.document();
    protocol.message = framed("*3\r\n$7\r\nPUBLISH\r\n" + channel + bulk_head(document.bytes.size()), document, "\r\n");
    protocol.reply_mark = ":";
    protocol.reply_good = std::to_string(scenario.subscribers) + "\r\n";
    protocol.replies_to_each = true;
    const std::vector<std::string> command{*program, configuration};
    return System{"redis", std::make_unique<PeerProcess>(std::move(folder), command, port), std::move(protocol)};
}

}  // namespace sluice::fanout
