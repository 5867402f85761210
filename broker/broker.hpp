// The daemon without its process: everything from the listening socket to the matching threads, wired together.
// Created, started, opened and drained by one thread of the caller. Tests run it in their own process.
#pragma once

#include <cstddef>
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

    // Accepts connections. Requests get 503 until the store is open, except /healthz.
    void start();
    // Opens the store, which may take long. Throws std::runtime_error, which says what to do, if it can't be opened.
    void open();
    // Lets requests through. Call once, after the two above.
    void serve();

    // Stops accepting, matches and delivers the queued events, and ends the connections. Cuts the remaining ones when
    // shutdown.drain_timeout expires.
    void drain();

    // Where it listens.
    std::string address() const;
    std::uint16_t port() const;
    // The store's folder; "": it is in memory.
    const std::string& store_path() const;
    std::size_t streams() const;
    std::size_t io_threads() const;  // that serve connections
    const Counters& counters() const;
    server::Services& services();
    // What drain() is doing, to explain why it takes long. Any thread.
    const char* stage() const;

private:
    class Parts;

    const std::unique_ptr<Parts> parts_;
};

}  // namespace sluice::broker
