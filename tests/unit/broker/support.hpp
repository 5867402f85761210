// Shared by the broker's tests: documents to publish, options for a broker on a free port, and an HTTP client that sees
// every byte.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <functional>
#include <map>
#include <optional>
#include <pthread.h>
#include <string>
#include <string_view>
#include <vector>

#include "broker/broker.hpp"
#include "config/options.hpp"
#include "protocol/feed/model/document.hpp"
#include "tests/support/gzip.hpp"

namespace sluice::broker {

// While it lives, no thread can be started: there is no room for another stack.
class NoMoreThreads {
public:
    NoMoreThreads();
    ~NoMoreThreads();
    NoMoreThreads(const NoMoreThreads&) = delete;
    NoMoreThreads& operator=(const NoMoreThreads&) = delete;

private:
    pthread_attr_t before_;
};

// The defaults on a free port, with `overrides` such as "http.idle_timeout=50ms". Logs are off, there are no
// heartbeats, and no limit on a time is met by a machine that is merely busy.
config::Options test_options(std::vector<std::string> overrides = {});

// An RSS feed with an <item> for each text in `items`.
std::string rss(const std::vector<std::string>& items);
// <title>TITLE</title><guid>TITLE</guid><category>CATEGORY</category>
std::string item(const std::string& title, const std::string& category = "news");
feed::DocumentPtr document(const std::vector<std::string>& items);

// A broker that runs from construction to destruction. What `prepare` changes of it, no thread reads yet.
struct RunningBroker {
    explicit RunningBroker(std::vector<std::string> overrides = {}, Seams seams = {},
                           const std::function<void(Broker&)>& prepare = {})
        : broker(test_options(std::move(overrides)), std::move(seams)) {
        if (prepare) prepare(broker);
        broker.start();
        broker.open();
        broker.serve();
    }
    std::uint16_t port() const { return broker.port(); }

    Broker broker;
};

struct Reply {
    unsigned status = 0;
    std::map<std::string, std::string> headers;  // names in lower case
    std::string body;
};

// One connection. Its reads give up after a minute with an exception, so that no test hangs.
class HttpClient {
public:
    explicit HttpClient(std::uint16_t port);

    void send(std::string_view text);
    Reply read_reply(bool to_head = false);
    Reply get(const std::string& target);
    Reply post(const std::string& target, const std::string& body, const std::string& fields = "");

    // A chunked body, piece by piece: text up to and including `end`.
    std::string read_until(std::string_view end);
    // One server-sent event or comment, without its blank line and its id's epoch. Skips ids without data. No value:
    // the stream has ended properly.
    std::optional<std::string> read_event();
    Reply read_head();

    bool is_closed_by_peer();  // waits for it
    boost::asio::ip::tcp::socket& socket() { return socket_; }

private:
    bool fill();  // false: end of file

    boost::asio::io_context io_;
    boost::asio::ip::tcp::socket socket_{io_};
    std::string buffer_;
    std::string stream_;  // decoded chunks
    bool stream_ended_ = false;
};

std::string percent_encode(std::string_view text);
using testing::gzip;

// Opens GET /v1/events on the connection with the given query and waits until the subscription is active.
void subscribe(HttpClient& client, const std::string& query);

}  // namespace sluice::broker
