// Detects that a client disconnects while a handler works on its request, without reading bytes that may follow the
// request. Lives on the connection's thread, from construction to stop(), which its owner must call before the
// transport ends.
#pragma once

#include <atomic>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <memory>
#include <utility>

#include "broker/server/transport.hpp"

namespace sluice::server {

class PeerWatch : public std::enable_shared_from_this<PeerWatch> {
public:
    static constexpr std::chrono::milliseconds interval{50};

    PeerWatch(Transport& transport, std::shared_ptr<std::atomic<bool>> left)
        : transport_(transport), timer_(transport.executor()), left_(std::move(left)) {}

    void start();
    void stop();

private:
    void look();

    Transport& transport_;
    boost::asio::steady_timer timer_;
    std::shared_ptr<std::atomic<bool>> left_;
    bool stopped_ = false;
};

}  // namespace sluice::server
