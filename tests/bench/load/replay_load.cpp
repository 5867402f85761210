#include "tests/bench/load/replay_load.hpp"

#include <algorithm>
#include <boost/url.hpp>
#include <charconv>
#include <poll.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "broker/cli/client/sse_reader.hpp"
#include "tests/bench/load/http_stream.hpp"
#include "tests/bench/load/process.hpp"
#include "tests/bench/load/socket.hpp"
#include "tests/bench/load/workload.hpp"

namespace sluice::load {

namespace {

constexpr std::string_view title_mark = "\"title\":\"e";
constexpr std::size_t pipeline = 32;  // documents under way

short wanted_events(const Socket& socket) {
    return static_cast<short>(socket.is_flushed() ? POLLIN : POLLIN | POLLOUT);
}

// Publishes over one connection. `receivers` gets those of each item.
class Publishing {
public:
    Publishing(const LoadOptions& options, Workload& workload, std::vector<Receivers>& receivers)
        : workload_(workload), receivers_(receivers), socket_(Socket::connect(options.host, options.port)) {}

    void run(std::uint64_t events) {
        for (std::uint64_t number = 1; number <= events; ++number) {
            std::string document(document_begin);
            receivers_.push_back(workload_.append_item(number, document));
            document += document_end;
            socket_.send(
                "POST /v1/events HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/rss+xml\r\n"
                "Content-Length: " +
                std::to_string(document.size()) + "\r\n\r\n" + document);
            if (++under_way_ == pipeline) take_replies(pipeline / 2);
        }
        take_replies(0);
    }

private:
    void take_replies(std::size_t left) {
        while (under_way_ > left) {
            const auto event = http_.next();
            if (event == HttpStream::Event::header && http_.status() != 202)
                throw std::runtime_error("the broker refused a document: " + std::to_string(http_.status()));
            if (event == HttpStream::Event::malformed) throw std::runtime_error("the broker sent what is no reply");
            if (event == HttpStream::Event::end) --under_way_;
            if (event != HttpStream::Event::need_more) continue;
            pollfd wanted{socket_.descriptor(), wanted_events(socket_), 0};
            poll(&wanted, 1, 1'000);
            socket_.flush();
            if (socket_.receive(http_.input()) == Socket::Received::closed)
                throw std::runtime_error("the broker closed a publishing connection");
        }
    }

    Workload& workload_;
    std::vector<Receivers>& receivers_;
    Socket socket_;
    HttpStream http_;
    std::size_t under_way_ = 0;
};

// All subscribers, which read at the same time.
class Replaying {
public:
    Replaying(const LoadOptions& options, const Workload& workload, const std::vector<Receivers>& receivers,
              ReplayResult& result)
        : receivers_(receivers), result_(result), subscribers_(options.subscribers) {
        for (std::size_t i = 0; i < subscribers_.size(); ++i) {
            boost::urls::url target("/v1/events?from=first&until=now");
            for (const std::string& filter : workload.filters(i)) target.params().append({"filter", filter});
            subscribers_[i].socket = Socket::connect(options.host, options.port);
            subscribers_[i].socket.send("GET " + std::string(target.buffer()) + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
        }
    }

    void run() {
        std::vector<pollfd> wanted(subscribers_.size());
        for (std::size_t left = subscribers_.size(); left != 0;) {
            for (std::size_t i = 0; i < wanted.size(); ++i) {
                const Socket& socket = subscribers_[i].socket;
                wanted[i] = {socket.descriptor(), wanted_events(socket), 0};  // one that is closed is ignored
            }
            if (poll(wanted.data(), wanted.size(), 60'000) == 0) throw std::runtime_error("a replay stands still");
            for (std::size_t i = 0; i < wanted.size(); ++i)
                if (wanted[i].revents != 0 && read(i)) --left;
        }
    }

private:
    struct Subscriber {
        Socket socket;
        HttpStream http;
        cli::SseReader events;
        std::uint64_t last_number = 0;
    };

    // Returns whether the replay is complete.
    bool read(std::size_t i) {
        Subscriber& subscriber = subscribers_[i];
        subscriber.socket.flush();
        const bool is_closed = subscriber.socket.receive(subscriber.http.input()) == Socket::Received::closed;
        for (;;) {
            const auto event = subscriber.http.next();
            const int status = subscriber.http.status();
            if (event == HttpStream::Event::malformed || (event == HttpStream::Event::header && status != 200))
                throw std::runtime_error("the broker refused a replay: " + std::to_string(status));
            if (event == HttpStream::Event::end) {
                subscriber.socket.close();
                return true;
            }
            if (event == HttpStream::Event::need_more) break;
            if (event != HttpStream::Event::body) continue;
            result_.received_bytes += subscriber.http.piece().size();
            subscriber.events.read(subscriber.http.piece(), {[&](const cli::SseEvent& each) { take(i, each); }, {}});
        }
        if (is_closed) throw std::runtime_error("a replay was cut short");
        return false;
    }

    void take(std::size_t i, const cli::SseEvent& event) {
        if (event.type != "message") {
            ++result_.told;
            return;
        }
        const std::size_t at = event.data.find(title_mark);
        if (at == std::string::npos) return;
        std::uint64_t number = 0;
        const char* const begin = event.data.data() + at + title_mark.size();
        std::from_chars(begin, event.data.data() + event.data.size(), number);
        ++result_.deliveries;
        if (number <= subscribers_[i].last_number) ++result_.out_of_order;
        subscribers_[i].last_number = number;
        const bool is_known = number != 0 && number <= receivers_.size();
        if (!is_known || !std::binary_search(receivers_[number - 1].begin(), receivers_[number - 1].end(), i))
            ++result_.unexpected;
    }

    const std::vector<Receivers>& receivers_;
    ReplayResult& result_;
    std::vector<Subscriber> subscribers_;
};

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

}  // namespace

ReplayResult replay_load(const LoadOptions& options, std::uint64_t events) {
    const auto workload =
        make_workload({options.workload, options.filters, options.subscribers, options.seed, options.feeds});
    workload->prepare();
    ReplayResult result;
    result.events = events;
    std::vector<Receivers> receivers;
    auto start = Clock::now();
    Publishing(options, *workload, receivers).run(events);
    result.publish_seconds = seconds_since(start);
    std::uint64_t expected = 0;
    for (const Receivers& each : receivers) expected += each.size();

    const double cpu_before = cpu_seconds(options.broker);
    start = Clock::now();
    Replaying(options, *workload, receivers, result).run();
    result.seconds = seconds_since(start);
    result.broker_cpu_seconds = cpu_seconds(options.broker) - cpu_before;
    result.lost = expected - std::min(expected, result.deliveries);
    return result;
}

}  // namespace sluice::load
