#include "tests/unit/broker/support.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>
#include <cctype>
#include <stdexcept>
#include <sys/socket.h>
#include <sys/time.h>

#include "broker/base/log.hpp"
#include "config/load.hpp"
#include "protocol/feed/parse.hpp"

namespace sluice::broker {

namespace asio = boost::asio;

NoMoreThreads::NoMoreThreads() {
    constexpr std::size_t too_large = std::size_t{1} << 50;
    pthread_attr_t attributes;
    if (pthread_getattr_default_np(&before_) != 0 || pthread_attr_init(&attributes) != 0 ||
        pthread_attr_setstacksize(&attributes, too_large) != 0 || pthread_setattr_default_np(&attributes) != 0)
        throw std::runtime_error("the default stack could not be changed");
    pthread_attr_destroy(&attributes);
}

NoMoreThreads::~NoMoreThreads() {
    pthread_setattr_default_np(&before_);
    pthread_attr_destroy(&before_);
}

config::Options test_options(std::vector<std::string> overrides) {
    overrides.insert(overrides.begin(),
                     {"store.kind=memory", "http.port=0", "http.hosts=[a, t, test]", "http.idle_timeout=1h",
                      "http.request_timeout=1h", "http.body_rate=0", "log.level=off", "auth.anonymous=all",
                      "io.threads=2", "publish.wait=60s", "limits.condition_time=60s", "limits.event_time=60s",
                      "limits.filters_per_connection=15000", "limits.literals_per_connection=10000000",
                      "limits.operators_per_connection=100000", "delivery.heartbeat=1h", "delivery.close_timeout=1h",
                      "shutdown.drain_timeout=60s"});
    config::LoadedConfig config = config::load_config(std::nullopt, overrides);
    if (!config.errors.empty()) throw std::runtime_error(config::to_string(config.errors.front()));
    base::configure_log(config.options.log);
    return config.options;
}

std::string rss(const std::vector<std::string>& items) {
    std::string text = "<rss version=\"2.0\"><channel><title>Test</title>";
    for (const std::string& each : items) text += "<item>" + each + "</item>";
    return text + "</channel></rss>";
}

std::string item(const std::string& title, const std::string& category) {
    return "<title>" + title + "</title><guid>" + title + "</guid><category>" + category + "</category>";
}

feed::DocumentPtr document(const std::vector<std::string>& items) {
    feed::DocumentOptions options{"application/rss+xml", "", {}};
    options.digests = feed::DigestOptions{};
    auto parsed = feed::parse_document(rss(items), options);
    if (!parsed) throw std::runtime_error(parsed.error().message);
    return *parsed;
}

HttpClient::HttpClient(std::uint16_t port) {
    socket_.connect({asio::ip::address_v4::loopback(), port});
    const timeval timeout{60, 0};
    setsockopt(socket_.native_handle(), SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
}

void HttpClient::send(std::string_view text) { asio::write(socket_, asio::buffer(text)); }

bool HttpClient::fill() {
    char bytes[65'536];
    const ssize_t n = ::recv(socket_.native_handle(), bytes, sizeof bytes, 0);
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) throw std::runtime_error("no answer in a minute");
    if (n <= 0) return false;
    buffer_.append(bytes, static_cast<std::size_t>(n));
    return true;
}

std::string HttpClient::read_until(std::string_view end) {
    std::size_t at;
    while ((at = buffer_.find(end)) == std::string::npos) {
        if (!fill()) throw std::runtime_error("connection closed; read so far: " + buffer_);
    }
    std::string text = buffer_.substr(0, at + end.size());
    buffer_.erase(0, at + end.size());
    return text;
}

Reply HttpClient::read_head() {
    Reply reply;
    std::string head = read_until("\r\n\r\n");
    reply.status = static_cast<unsigned>(std::stoul(head.substr(9, 3)));
    for (std::size_t at = head.find("\r\n") + 2; at + 2 < head.size();) {
        const std::size_t end = head.find("\r\n", at);
        const std::size_t colon = head.find(": ", at);
        std::string name = head.substr(at, colon - at);
        for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        reply.headers[name] = head.substr(colon + 2, end - colon - 2);
        at = end + 2;
    }
    return reply;
}

Reply HttpClient::read_reply(bool to_head) {
    Reply reply = read_head();
    if (to_head || reply.headers.count("content-length") == 0) return reply;
    const std::size_t n = std::stoul(reply.headers["content-length"]);
    while (buffer_.size() < n) {
        if (!fill()) throw std::runtime_error("connection closed within a body");
    }
    reply.body = buffer_.substr(0, n);
    buffer_.erase(0, n);
    return reply;
}

Reply HttpClient::get(const std::string& target) {
    send("GET " + target + " HTTP/1.1\r\nHost: test\r\n\r\n");
    return read_reply();
}

Reply HttpClient::post(const std::string& target, const std::string& body, const std::string& fields) {
    send("POST " + target + " HTTP/1.1\r\nHost: test\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
         fields + "\r\n" + body);
    return read_reply();
}

std::optional<std::string> HttpClient::read_event() {
    std::size_t at;
    while ((at = stream_.find("\n\n")) == std::string::npos) {
        if (stream_ended_) return std::nullopt;
        const std::size_t n = std::stoul(read_until("\r\n"), nullptr, 16);
        while (buffer_.size() < n + 2) {
            if (!fill()) throw std::runtime_error("connection closed within a chunk");
        }
        stream_.append(buffer_, 0, n);
        buffer_.erase(0, n + 2);
        stream_ended_ = n == 0;
    }
    std::string event = stream_.substr(0, at);
    stream_.erase(0, at + 2);
    const std::size_t id = event.starts_with("id: ") ? 0 : event.find("\nid: ") + 1;
    if (id == 0 && !event.starts_with("id: ")) return event;
    event.erase(id + 4, event.find('-', id) + 1 - (id + 4));
    return event.starts_with("id: ") && event.find('\n') == std::string::npos ? read_event() : event;
}

bool HttpClient::is_closed_by_peer() {
    while (fill()) {
    }
    return true;
}

std::string percent_encode(std::string_view text) {
    std::string encoded;
    for (const char c : text) {
        if (std::isalnum(static_cast<unsigned char>(c))) {
            encoded += c;
        } else {
            const auto byte = static_cast<unsigned char>(c);
            encoded += {'%', "0123456789ABCDEF"[byte >> 4], "0123456789ABCDEF"[byte & 15]};
        }
    }
    return encoded;
}

void subscribe(HttpClient& client, const std::string& query) {
    client.send("GET /v1/events" + query + " HTTP/1.1\r\nHost: test\r\n\r\n");
    const Reply reply = client.read_head();
    if (reply.status != 200) throw std::runtime_error("subscribing gave " + std::to_string(reply.status));
    if (client.read_event() != ": subscribed") throw std::runtime_error("no confirmation");
}

}  // namespace sluice::broker
