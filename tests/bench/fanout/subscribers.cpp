#include "tests/bench/fanout/subscribers.hpp"

#include <cerrno>
#include <sys/epoll.h>
#include <system_error>

namespace sluice::fanout {

namespace {

std::string name_of(std::size_t index) { return "subscriber " + std::to_string(index); }

}  // namespace

Subscribers::Subscribers(const Protocol& protocol, std::uint16_t port, std::uint64_t stride)
    : subscribers_(protocol.subscribe.size()), stride_(stride) {
    for (std::size_t i = 0; i < subscribers_.size(); ++i) {
        subscribers_[i].socket = load::Socket::connect("127.0.0.1", port);
        subscribers_[i].socket.send(protocol.subscribe[i]);
    }
    for (std::size_t i = 0; i < subscribers_.size(); ++i)
        await(subscribers_[i].socket, protocol.subscribed, name_of(i));
}

void Subscribers::watch(int epoll) const {
    for (std::size_t i = 0; i < subscribers_.size(); ++i) {
        epoll_event event{};
        event.events = EPOLLIN;
        event.data.u64 = i;
        if (epoll_ctl(epoll, EPOLL_CTL_ADD, subscribers_[i].socket.descriptor(), &event) != 0)
            throw std::system_error(errno, std::generic_category(), "epoll_ctl");
    }
}

void Subscribers::begin_round(std::uint64_t first) {
    for (std::size_t i = 0; i < subscribers_.size(); ++i) {
        const std::uint64_t own = stride_ == 1 ? 0 : i;
        subscribers_[i].order.expect(first + (own + stride_ - first % stride_) % stride_, stride_);
    }
    first_ = first;
    deliveries_ = 0;
    takes_latencies_ = false;
    latencies_.samples_us.clear();
}

void Subscribers::take_latencies(Clock::time_point begin, std::chrono::duration<double> interval) {
    takes_latencies_ = true;
    begin_ = begin;
    interval_ = interval;
}

void Subscribers::read(std::size_t index) {
    Subscriber& subscriber = subscribers_[index];
    const std::size_t size = buffer_.receive(subscriber.socket, name_of(index));
    const auto now = Clock::now();
    subscriber.scanner.scan(buffer_.data(), size,
                            [&](std::string_view digits) { take(index, read_number(digits), now); });
}

void Subscribers::take(std::size_t index, std::uint64_t number, Clock::time_point now) {
    DeliveryOrder& order = subscribers_[index].order;
    const std::uint64_t expected = order.next();
    ++deliveries_;
    last_delivery_ = now;
    if (!order.take(number)) {
        if (first_fault_.empty())
            first_fault_ =
                name_of(index) + " got message " + std::to_string(number) + " in place of " + std::to_string(expected);
        return;
    }
    if (!takes_latencies_) return;
    const auto intended = begin_ + std::chrono::duration_cast<Clock::duration>(interval_ * (number - first_));
    latencies_.add(now - intended);
}

std::string Subscribers::faults() const {
    if (first_fault_.empty()) return {};
    std::uint64_t missed = 0, late = 0, foreign = 0;
    for (const auto& subscriber : subscribers_) {
        missed += subscriber.order.missed();
        late += subscriber.order.late();
        foreign += subscriber.order.foreign();
    }
    return first_fault_ + "; " + std::to_string(missed) + " did not come in their turn, " + std::to_string(late) +
           " were repeated or late, " + std::to_string(foreign) + " were for other subscribers";
}

}  // namespace sluice::fanout
