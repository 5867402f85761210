// Publishes to a JetStream stream with a file store, with so many messages unacknowledged at once, and counts the
// acknowledgements: its asynchronous rate, which acknowledges before it syncs.
//
//   bench_jetstream PORT BYTES UNACKNOWLEDGED SECONDS
//
// Speaks the protocol itself (docs.nats.io/reference/reference-protocols/nats-protocol), since Debian has no client.
// Prints one line of JSON.
#include <arpa/inet.h>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>

namespace {

using Clock = std::chrono::steady_clock;

class Connection {
public:
    explicit Connection(std::uint16_t port) : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        if (connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
            throw std::system_error(errno, std::generic_category(), "connect");
    }
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;
    ~Connection() { close(socket_); }

    void send_all(std::string_view bytes) const {
        while (!bytes.empty()) {
            const ssize_t n = send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (n < 0) throw std::system_error(errno, std::generic_category(), "send");
            bytes.remove_prefix(static_cast<std::size_t>(n));
        }
    }

    // Acknowledgements among what has arrived; waits for some.
    std::uint64_t receive() {
        char buffer[1 << 16];
        const ssize_t n = recv(socket_, buffer, sizeof buffer, 0);
        if (n <= 0) throw std::runtime_error("nats-server has closed the connection");
        input_.append(buffer, static_cast<std::size_t>(n));
        std::uint64_t acknowledged = 0;
        std::size_t begin = 0;
        for (std::size_t end; (end = input_.find("\r\n", begin)) != std::string::npos; begin = end + 2) {
            const std::string_view line = std::string_view(input_).substr(begin, end - begin);
            if (line.starts_with("-ERR") || line.find("\"error\"") != std::string_view::npos)
                throw std::runtime_error(std::string(line));
            if (line.find("stream_create_response") != std::string_view::npos) has_stream_ = true;
            if (line == "PING") send_all("PONG\r\n");
            if (line.starts_with("{\"stream\"")) ++acknowledged;
        }
        input_.erase(0, begin);
        return acknowledged;
    }

    bool has_stream() const { return has_stream_; }

private:
    const int socket_;
    std::string input_;
    bool has_stream_ = false;
};

}  // namespace

int main(int argc, char** argv) {
    if (argc != 5) {
        std::fputs("Usage: bench_jetstream PORT BYTES UNACKNOWLEDGED SECONDS\n", stderr);
        return 2;
    }
    const auto bytes = static_cast<std::size_t>(std::atol(argv[2]));
    const auto most = static_cast<std::uint64_t>(std::atol(argv[3]));
    const std::chrono::duration<double> seconds(std::atof(argv[4]));
    Connection server(static_cast<std::uint16_t>(std::atoi(argv[1])));
    const std::string stream = R"({"name":"ev","subjects":["ev.*"],"storage":"file","retention":"limits"})";
    server.send_all(
        "CONNECT {\"verbose\":false,\"pedantic\":false}\r\nSUB made 1\r\nSUB acked 2\r\n"
        "PUB $JS.API.STREAM.CREATE.ev made " +
        std::to_string(stream.size()) + "\r\n" + stream + "\r\n");
    while (!server.has_stream()) server.receive();
    std::mt19937 random;
    std::string message(bytes, '\0');
    for (char& c : message) c = static_cast<char>('a' + random() % 26);
    const std::string publish = "PUB ev.a acked " + std::to_string(bytes) + "\r\n" + message + "\r\n";
    std::uint64_t published = 0, acknowledged = 0;
    const auto begun = Clock::now();
    while (Clock::now() - begun < seconds || acknowledged < published) {
        std::string batch;
        for (const bool goes_on = Clock::now() - begun < seconds;
             goes_on && published < acknowledged + most && batch.size() < 1u << 16; ++published)
            batch += publish;
        server.send_all(batch);
        if (batch.empty() || published >= acknowledged + most) acknowledged += server.receive();
    }
    const double took = std::chrono::duration<double>(Clock::now() - begun).count();
    std::printf("{\"messages_per_second\": %.0f, \"messages\": %llu}\n", static_cast<double>(acknowledged) / took,
                static_cast<unsigned long long>(acknowledged));
}
