// The daemon without its process: everything from the listening socket to the matching threads, wired together.
// Created, started and drained by one thread of the caller. Tests run it in their own process.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace sluice::config {
struct Options;
}

namespace sluice::server {
struct Services;
}

namespace sluice::broker {

struct Counters;

class Broker {
public:
    // Listens, but accepts no connections yet. Throws std::runtime_error if it can't listen.
    explicit Broker(config::Options options);
    ~Broker();  // drains unless that has been done

    void start();

    // Stops accepting, matches and delivers the queued events, and ends the connections. Cuts the remaining ones when
    // shutdown.drain_timeout expires.
    void drain();

    // Where it listens.
    std::string address() const;
    std::uint16_t port() const;
    const Counters& counters() const;
    server::Services& services();
    // What drain() is doing, to explain why it takes long. Any thread.
    const char* stage() const;

private:
    class Parts;

    const std::unique_ptr<Parts> parts_;
};

}  // namespace sluice::broker
