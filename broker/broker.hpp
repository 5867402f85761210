// The daemon without its process: everything from the listening socket to the matching threads, wired together.
// Created, started, opened and drained by one thread of the caller. Tests run it in their own process.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::config {
struct ListenerOptions;
struct Options;
}  // namespace sluice::config

namespace sluice::server {
struct Services;
}

namespace sluice::broker {

struct Counters;

// What tests may replace; null in the daemon.
struct Seams {
    std::function<std::chrono::steady_clock::time_point()> steady_now{};  // for what is due
    std::function<std::int64_t()> wall_now{};                             // microseconds since 1970: times of events
    // Called with the name of a point by whoever is there: RocksSettings::at_point.
    std::function<void(std::string_view)> at_point{};
    bool publishers_match = true;  // whether I/O threads match what they have published: Matcher::Settings
};

class Broker {
public:
    // Listens, but accepts no connections yet. Throws std::runtime_error if it can't listen.
    explicit Broker(config::Options options, Seams seams = {});
    ~Broker();  // drains unless that has been done

    // Accepts connections. Requests get 503 until the store is open, except /healthz.
    void start();
    // Opens the store, which may take long. Throws std::runtime_error, which says what to do, if it can't be opened.
    void open();
    // Lets requests through. Call once, after the two above.
    void serve();

    // For tests with clocks of their own: does what has become due.
    void clock_moved();

    // Stops accepting, matches and delivers the queued events, and ends the connections. Cuts the remaining ones when
    // shutdown.drain_timeout expires.
    void drain();

    // Reads files again that may change while it runs: those of certificates and of users. Any thread, one at a time.
    void reload_files(bool only_changed);

    // Where it listens, with the ports that it has got; and the first of these ports.
    std::vector<config::ListenerOptions> places() const;
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
