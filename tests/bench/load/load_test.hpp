// One run of load against a broker: connections that subscribe, connections that publish, one thread for all of them.
// Items are sent open loop at a rate, or closed loop as fast as replies come. One thread at a time.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <sys/types.h>
#include <vector>

#include "broker/cli/client/sse_reader.hpp"
#include "tests/bench/load/http_stream.hpp"
#include "tests/bench/load/ledger.hpp"
#include "tests/bench/load/socket.hpp"
#include "tests/bench/load/workload.hpp"

namespace sluice::load {

struct LoadOptions {
    std::string host = "127.0.0.1";
    std::uint16_t port = 8080;
    pid_t broker = 0;  // the process whose CPU time is measured; 0: none
    std::size_t subscribers = 100, filters = 10'000, publishers = 8;
    std::string workload = "mixed";
    std::string stream;        // empty: the broker's default
    std::string feeds;         // WorkloadOptions
    std::size_t pipeline = 1;  // requests under way on one publishing connection
    std::size_t items = 1;     // of a document
    std::uint64_t seed = 1;
};

struct LoadResult {
    double seconds = 0;  // from the first intended send to the last delivery
    std::uint64_t events = 0, accepted = 0, refused = 0;
    std::uint64_t deliveries = 0, lost = 0, unexpected = 0, out_of_order = 0, disconnected = 0;
    std::uint64_t received_bytes = 0;
    double filters_per_event = 0;
    double broker_cpu_seconds = 0, own_cpu_seconds = 0;
    Latencies deliver, reply;
};

class LoadTest {
public:
    explicit LoadTest(const LoadOptions& options);  // connects and subscribes; throws std::runtime_error
    ~LoadTest();
    LoadTest(const LoadTest&) = delete;
    LoadTest& operator=(const LoadTest&) = delete;

    // `rate` in items per second; 0: closed loop.
    LoadResult run(double rate, double seconds);

private:
    struct Subscriber {
        Socket socket;
        HttpStream http;
        cli::SseReader events;
        std::uint64_t last_id = 0;
    };
    struct Request {
        std::uint64_t first_item;
        Clock::time_point intended;
    };
    struct Publisher {
        Socket socket;
        HttpStream http;
        std::deque<Request> under_way;
    };

    void subscribe(std::size_t index);
    void await_subscription(std::size_t index);
    void watch(const Socket& socket, std::size_t index, bool writable);
    void publish(Publisher& publisher, Clock::time_point intended);
    Publisher* idle_publisher();
    void send_due(double rate, Clock::time_point start, Clock::time_point stop);
    void wait(Clock::time_point until);
    void read_deliveries(std::size_t index);
    void take_delivery(std::size_t index, const cli::SseEvent& event, Clock::time_point now);
    void read_replies(std::size_t index);
    bool replies_due() const;

    LoadOptions options_;
    std::unique_ptr<Workload> workload_;
    std::vector<Subscriber> subscribers_;
    std::vector<Publisher> publishers_;
    int epoll_ = -1;
    std::uint64_t next_number_ = 1;
    std::uint64_t sent_in_run_ = 0;
    std::string document_, request_;
    const std::string request_begin_;  // up to the document's length
    std::unique_ptr<Ledger> ledger_;
    LoadResult result_;
    Clock::time_point last_delivery_;
};

}  // namespace sluice::load
