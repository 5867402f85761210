#include "tests/bench/load/load_test.hpp"

#include <algorithm>
#include <array>
#include <boost/url.hpp>
#include <charconv>
#include <stdexcept>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <system_error>
#include <unistd.h>

#include "tests/bench/load/process.hpp"

namespace sluice::load {

namespace {

constexpr std::size_t subscribing_at_once = 64;
constexpr auto drain_time = std::chrono::seconds(60);
constexpr std::string_view title_mark = "\"title\":\"e";

std::string publish_begin(const LoadOptions& options) {
    boost::urls::url target("/v1/events");
    if (!options.stream.empty()) target.params().append({"stream", options.stream});
    return "POST " + std::string(target.buffer()) +
           " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/rss+xml\r\nContent-Length: ";
}

std::uint64_t number_in(std::string_view text) {
    std::uint64_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

}  // namespace

LoadTest::LoadTest(const LoadOptions& options)
    : options_(options),
      workload_(make_workload({options.workload, options.filters, options.subscribers, options.seed, options.feeds})),
      subscribers_(options.subscribers),
      publishers_(options.publishers),
      epoll_(epoll_create1(EPOLL_CLOEXEC)),
      request_begin_(publish_begin(options)) {
    workload_->prepare();
    for (std::size_t i = 0; i < subscribers_.size() + subscribing_at_once; ++i) {
        if (i >= subscribing_at_once) await_subscription(i - subscribing_at_once);
        if (i < subscribers_.size()) subscribe(i);
    }
    for (std::size_t i = 0; i < publishers_.size(); ++i) {
        publishers_[i].socket = Socket::connect(options.host, options.port);
        watch(publishers_[i].socket, subscribers_.size() + i, false);
    }
}

LoadTest::~LoadTest() { ::close(epoll_); }

void LoadTest::watch(const Socket& socket, std::size_t index, bool writable) {
    epoll_event event{};
    event.events = writable ? EPOLLIN | EPOLLOUT : EPOLLIN;
    event.data.u64 = index;
    if (epoll_ctl(epoll_, EPOLL_CTL_MOD, socket.descriptor(), &event) != 0) {
        epoll_ctl(epoll_, EPOLL_CTL_ADD, socket.descriptor(), &event);
    }
}

void LoadTest::subscribe(std::size_t index) {
    auto& subscriber = subscribers_[index];
    boost::urls::url target("/v1/events");
    if (!options_.stream.empty()) target.params().append({"stream", options_.stream});
    for (const auto& filter : workload_->filters(index)) target.params().append({"filter", filter});
    subscriber.socket = Socket::connect(options_.host, options_.port);
    subscriber.socket.send("GET " + std::string(target.buffer()) + " HTTP/1.1\r\nHost: " + options_.host + "\r\n\r\n");
}

void LoadTest::await_subscription(std::size_t index) {
    auto& subscriber = subscribers_[index];
    auto event = HttpStream::Event::need_more;
    while ((event = subscriber.http.next()) == HttpStream::Event::need_more) {
        if (subscriber.socket.receive(subscriber.http.input()) == Socket::Received::closed) break;
        subscriber.socket.flush();
        usleep(100);
    }
    if (event != HttpStream::Event::header || subscriber.http.status() != 200) {
        throw std::runtime_error("the broker refused a subscription: " + subscriber.http.input());
    }
    watch(subscriber.socket, index, false);
}

LoadTest::Publisher* LoadTest::idle_publisher() {
    auto* best = &publishers_.front();
    for (auto& publisher : publishers_) {
        if (publisher.under_way.size() < best->under_way.size()) best = &publisher;
    }
    return best->under_way.size() < options_.pipeline ? best : nullptr;
}

void LoadTest::publish(Publisher& publisher, Clock::time_point intended) {
    publisher.under_way.push_back({next_number_, intended});
    document_ = document_begin;
    for (std::size_t i = 0; i < options_.items; ++i, ++next_number_)
        ledger_->published(next_number_, intended, workload_->append_item(next_number_, document_));
    document_ += document_end;
    request_ = request_begin_;
    request_.append(std::to_string(document_.size())).append("\r\n\r\n").append(document_);
    if (!publisher.socket.send(request_)) throw std::runtime_error("the broker closed a publishing connection");
    if (!publisher.socket.is_flushed()) {
        watch(publisher.socket, subscribers_.size() + static_cast<std::size_t>(&publisher - publishers_.data()), true);
    }
    sent_in_run_ += options_.items;
}

void LoadTest::send_due(double rate, Clock::time_point start, Clock::time_point stop) {
    while (auto* publisher = idle_publisher()) {
        auto intended = Clock::now();
        if (rate > 0) {
            const std::chrono::duration<double> after(static_cast<double>(sent_in_run_) / rate);
            const auto due = start + std::chrono::duration_cast<Clock::duration>(after);
            if (due > intended) break;
            intended = due;
        }
        if (intended >= stop) break;
        publish(*publisher, intended);
    }
}

void LoadTest::wait(Clock::time_point until) {
    std::array<epoll_event, 64> ready{};
    const auto left = std::chrono::nanoseconds(std::max(until - Clock::now(), Clock::duration::zero())).count();
    const timespec timeout{left / 1'000'000'000, left % 1'000'000'000};
    const int count = epoll_pwait2(epoll_, ready.data(), static_cast<int>(ready.size()), &timeout, nullptr);
    for (int i = 0; i < count; ++i) {
        const auto index = ready[static_cast<std::size_t>(i)].data.u64;
        if (index < subscribers_.size()) {
            read_deliveries(index);
        } else {
            read_replies(index - subscribers_.size());
        }
    }
}

void LoadTest::read_deliveries(std::size_t index) {
    auto& [socket, http, events, last_id] = subscribers_[index];
    const auto received = socket.receive(http.input());
    const auto now = Clock::now();
    while (true) {
        const auto event = http.next();
        if (event == HttpStream::Event::body) {
            result_.received_bytes += http.piece().size();
            events.read(http.piece(), {[&](const cli::SseEvent& e) { take_delivery(index, e, now); }, {}});
        } else {
            if (event == HttpStream::Event::need_more && received != Socket::Received::closed) return;
            break;
        }
    }
    ++result_.disconnected;
    epoll_ctl(epoll_, EPOLL_CTL_DEL, socket.descriptor(), nullptr);
    socket.close();
}

void LoadTest::take_delivery(std::size_t index, const cli::SseEvent& event, Clock::time_point now) {
    const auto at = event.data.find(title_mark);
    if (event.type != "message" || at == std::string::npos) return;
    ledger_->received(number_in(std::string_view(event.data).substr(at + title_mark.size())), index, now);
    const std::string_view epoch_and_id = event.id;
    const auto id = number_in(epoch_and_id.substr(epoch_and_id.rfind('-') + 1));
    if (id <= subscribers_[index].last_id) ++result_.out_of_order;
    subscribers_[index].last_id = id;
    last_delivery_ = now;
}

void LoadTest::read_replies(std::size_t index) {
    constexpr int accepted = 202;
    auto& publisher = publishers_[index];
    const auto received = publisher.socket.receive(publisher.http.input());
    if (received == Socket::Received::closed) throw std::runtime_error("the broker closed a publishing connection");
    const auto now = Clock::now();
    auto event = HttpStream::Event::need_more;
    while ((event = publisher.http.next()) != HttpStream::Event::need_more) {
        if (event == HttpStream::Event::malformed) throw std::runtime_error("a reply is not HTTP");
        if (event != HttpStream::Event::end) continue;
        const auto request = publisher.under_way.front();
        publisher.under_way.pop_front();
        if (publisher.http.status() == accepted) {
            result_.accepted += options_.items;
            result_.reply.add(now - request.intended);
        } else {
            result_.refused += options_.items;
            for (std::size_t i = 0; i < options_.items; ++i) ledger_->refused(request.first_item + i);
        }
    }
    if (!publisher.socket.is_flushed()) {
        publisher.socket.flush();
        watch(publisher.socket, subscribers_.size() + index, !publisher.socket.is_flushed());
    }
}

bool LoadTest::replies_due() const {
    return std::any_of(publishers_.begin(), publishers_.end(), [](const auto& p) { return !p.under_way.empty(); });
}

LoadResult LoadTest::run(double rate, double seconds) {
    prctl(PR_SET_TIMERSLACK, 1);  // for this thread, so that waits end on time
    result_ = {};
    sent_in_run_ = 0;
    ledger_ = std::make_unique<Ledger>();
    const auto own_cpu = cpu_seconds(getpid()), broker_cpu = cpu_seconds(options_.broker);
    const auto start = Clock::now();
    const auto stop = start + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
    last_delivery_ = start;
    for (auto now = start; now < stop; now = Clock::now()) {
        send_due(rate, start, stop);
        auto until = stop;
        if (rate > 0 && idle_publisher()) {
            const std::chrono::duration<double> after(static_cast<double>(sent_in_run_) / rate);
            until = std::min(stop, start + std::chrono::duration_cast<Clock::duration>(after));
        }
        wait(until);
    }
    const auto give_up = Clock::now() + drain_time;
    const auto all = static_cast<std::uint64_t>(rate * seconds);  // late items are sent too, and count as late
    while ((sent_in_run_ < all || ledger_->outstanding() > 0 || replies_due()) && Clock::now() < give_up) {
        send_due(rate, start, stop);
        wait(Clock::now() + std::chrono::milliseconds(10));
    }
    result_.seconds = std::chrono::duration<double>(std::max(last_delivery_, stop) - start).count();
    result_.events = sent_in_run_;
    result_.deliveries = ledger_->received();
    result_.lost = ledger_->outstanding();
    result_.unexpected = ledger_->unexpected();
    result_.deliver = std::move(ledger_->latencies());
    result_.filters_per_event = workload_->filters_matched_mean();
    result_.own_cpu_seconds = cpu_seconds(getpid()) - own_cpu;
    result_.broker_cpu_seconds = cpu_seconds(options_.broker) - broker_cpu;
    return std::move(result_);
}

}  // namespace sluice::load
