// How often the I/O thread allocates for a message: from its last byte until its reply is written, on a connection and
// in a stream that have had messages before. Each pair of malloc and free costs some 200 instructions, so what is added
// here by chance would go unnoticed elsewhere.
#include <boost/asio/io_context.hpp>
#include <catch2/catch.hpp>
#include <chrono>
#include <stdexcept>
#include <string>

#include "tests/support/failing_allocations.hpp"
#include "tests/support/string_connection.hpp"
#include "tests/unit/broker/support.hpp"

using namespace sluice;
using namespace sluice::broker;
using sluice::testing::StringConnection;
using testing::FailingAllocations;

namespace {

// An item as feeds have them: its texts are too long for strings that keep them inside.
std::string message(std::size_t number) {
    const std::string id = std::to_string(10'000'000 + number);
    const std::string body =
        "<rss version=\"2.0\"><channel><title>Rivers</title><item><title>River report " + id +
        ": ferry stays in harbour</title><link>https://news.example/rivers/" + id +
        ".html</link><guid isPermaLink=\"false\">river-report-" + id +
        "</guid><category>weather</category><description>the river rose over its banks on Tuesday</description></item>"
        "</channel></rss>";
    return "POST /v1/events?stream=rivers HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/rss+xml\r\n"
           "Content-Length: " +
           std::to_string(body.size()) + "\r\n\r\n" + body;
}

std::size_t count(const std::string& text, const std::string& what) {
    std::size_t n = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + what.size())) ++n;
    return n;
}

class MessageTrial {
public:
    // Publishes further messages, all in the pipeline; returns the number of allocations.
    std::uint64_t publish(std::size_t messages) {
        for (std::size_t i = 0; i < messages; ++i) connection_.send(message(number_++));
        FailingAllocations::count_here();
        {
            const FailingAllocations::Here here;
            io_.restart();
            io_.poll();  // all of them in one call, as on an I/O thread, which keeps coroutine frames
        }
        const std::uint64_t made = FailingAllocations::made();
        FailingAllocations::stop();
        if (count(connection_.output(), "HTTP/1.1 202 ") != number_) throw std::runtime_error("not all are published");
        return made;
    }

private:
    boost::asio::io_context io_{1};
    RunningBroker running_{{"matcher.threads=1"}};
    StringConnection connection_{io_, running_.broker.services()};
    std::size_t number_ = 0;
};

}  // namespace

TEST_CASE("a published message takes few allocations", "[alloc]") {
    FailingAllocations::exempt_this_thread();
    MessageTrial trial;
    trial.publish(100);
    const std::uint64_t few = trial.publish(20), many = trial.publish(120);
    const double of_message = static_cast<double>(many - few) / 100;
    // 21 when this was written. 13 are the broker's own: the body, its text's count, the query, the content type, the
    // document's charge, its record and the record's content type, the publication, its keys, its events, what the
    // queue keeps (two), and the reply's body. libcrypto takes two. The others are the document, its tree's nodes and
    // attributes, its items, and what the scanner and the normal form know of its elements.
    CHECK(of_message < 25);
    CHECK(of_message > 10);  // otherwise they are not counted
}
