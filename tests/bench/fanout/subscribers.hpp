// All subscribers of a system: connects them, reads what is delivered to them, and checks each delivery. Belongs to one
// thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/bench/fanout/delivery_order.hpp"
#include "tests/bench/fanout/mark_scanner.hpp"
#include "tests/bench/fanout/protocol.hpp"
#include "tests/bench/fanout/read_buffer.hpp"
#include "tests/bench/load/ledger.hpp"
#include "tests/bench/load/socket.hpp"

namespace sluice::fanout {

using load::Clock;

class Subscribers {
public:
    // Returns when all are subscribed; throws std::runtime_error. With a `stride` above 1, subscriber i gets the
    // messages whose number modulo `stride` is i; else each gets all.
    Subscribers(const Protocol& protocol, std::uint16_t port, std::uint64_t stride);

    // Has `epoll` report what comes, with the subscriber's index.
    void watch(int epoll) const;

    // The next round's messages begin with this number; deliveries and latencies are counted from 0.
    void begin_round(std::uint64_t first);
    // Latencies of the round are taken: message `number` was to be sent `interval` times (number - first) after
    // `begin`.
    void take_latencies(Clock::time_point begin, std::chrono::duration<double> interval);

    void read(std::size_t index);

    std::uint64_t deliveries() const { return deliveries_; }
    Clock::time_point last_delivery() const { return last_delivery_; }
    load::Latencies& latencies() { return latencies_; }
    // What was wrong with deliveries since the beginning; empty: nothing.
    std::string faults() const;

private:
    struct Subscriber {
        load::Socket socket;
        MarkScanner scanner{number_mark, number_digits};
        DeliveryOrder order;
    };

    void take(std::size_t index, std::uint64_t number, Clock::time_point now);

    std::vector<Subscriber> subscribers_;
    const std::uint64_t stride_;
    ReadBuffer buffer_;
    std::uint64_t first_ = 0, deliveries_ = 0;
    Clock::time_point last_delivery_;
    bool takes_latencies_ = false;
    Clock::time_point begin_;
    std::chrono::duration<double> interval_{0};
    load::Latencies latencies_;
    std::string first_fault_;
};

}  // namespace sluice::fanout
