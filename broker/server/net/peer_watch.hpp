// Detects that a client disconnects while a handler works on its request, without reading bytes that may follow the
// request. Lives on the connection's thread, from construction to stop(), which its owner must call before the
// transport ends.
#pragma once

#include <atomic>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <utility>

#include "broker/server/net/transport.hpp"

namespace sluice::server {

// What is known of the client of a request while its handler runs.
struct Departure {
    std::atomic<bool> noticed{false};  // any thread may read it
    // Called once when the departure is noticed, if it is set then. Only the connection's thread sets and calls it.
    std::function<void()> on_notice;
};

class PeerWatch : public std::enable_shared_from_this<PeerWatch> {
public:
    static constexpr std::chrono::milliseconds interval{50};

    PeerWatch(Transport& transport, std::shared_ptr<Departure> departure)
        : transport_(transport), timer_(transport.executor()), departure_(std::move(departure)) {}

    void start();
    void stop();

private:
    void look();

    Transport& transport_;
    boost::asio::steady_timer timer_;
    std::shared_ptr<Departure> departure_;
    bool stopped_ = false;
};

}  // namespace sluice::server
