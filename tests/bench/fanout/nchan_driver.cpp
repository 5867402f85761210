// nginx with nchan: a POST a message, pipelined, and event streams. One worker, since a channel belongs to one.
#include <unistd.h>

#include "tests/bench/fanout/drivers.hpp"
#include "tests/bench/fanout/peer_process.hpp"

namespace sluice::fanout {

namespace {

constexpr const char* nchan_module = "/usr/lib/nginx/modules/ngx_nchan_module.so";

std::string nchan_configuration(const std::string& folder, std::uint16_t port) {
    std::string text = "daemon off;\nworker_processes 1;\nload_module ";
    text.append(nchan_module).append(";\npid ").append(folder).append("/nginx.pid;\nerror_log stderr;\n");
    text += "events { worker_connections 16384; }\nhttp {\n";
    text += "    access_log off;\n    keepalive_requests 1000000000;\n    client_header_buffer_size 16k;\n";
    for (const char* kind : {"client_body", "proxy", "fastcgi", "uwsgi", "scgi"})
        text.append("    ").append(kind).append("_temp_path ").append(folder).append("/").append(kind).append(";\n");
    text +=
        "    nchan_shared_memory_size 256M;\n    server {\n        listen 127.0.0.1:" + std::to_string(port) + ";\n";
    const std::string channel = "nchan_channel_id " + std::string(topic) + ";";
    // Kept for subscribers that lag behind: more than a window's.
    text += "        location = /pub { nchan_publisher; " + channel + " nchan_message_buffer_length 8192; }\n";
    text += "        location = /sub { nchan_subscriber eventsource; " + channel +
            " nchan_subscriber_first_message newest; }\n    }\n}\n";
    return text;
}

}  // namespace

std::optional<System> start_nchan(const Scenario& scenario) {
    const auto program = find_program("nginx");
    if (!program || access(nchan_module, R_OK) != 0) return std::nullopt;
    auto folder = std::make_unique<TemporaryFolder>();
    const std::uint16_t port = free_port();
    const std::string configuration = folder->write("nginx.conf", nchan_configuration(folder->path(), port));

    Protocol protocol;
    const std::string host = "Host: localhost\r\n";
    protocol.subscribe.assign(scenario.subscribers,
                              "GET /sub HTTP/1.1\r\n" + host + "Accept: text/event-stream\r\n\r\n");
    protocol.subscribed = "text/event-stream";
    const Message document = scenario.document();
    protocol.message = framed("POST /pub HTTP/1.1\r\n" + host + "Content-Type: text/plain\r\nContent-Length: " +
                                  std::to_string(document.bytes.size()) + "\r\n\r\n",
                              document, "");
    protocol.reply_mark = "HTTP/1.1 ";
    protocol.reply_good = "201";  // it had subscribers
    protocol.replies_to_each = true;
    const std::vector<std::string> command{*program, "-e", "stderr", "-p", folder->path(), "-c", configuration};
    return System{"nchan", std::make_unique<PeerProcess>(std::move(folder), command, port), std::move(protocol)};
}

}  // namespace sluice::fanout
