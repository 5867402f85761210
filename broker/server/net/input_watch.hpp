// Drops what a client sends while it receives an event stream, and detects that it disconnects. Lives on the
// connection's thread, from construction to stop(), which its owner must call before the transport ends.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "broker/server/net/transport.hpp"

namespace sluice::server {

class InputWatch : public std::enable_shared_from_this<InputWatch> {
public:
    // `on_end` is called once, when the client has left, or there is no memory to watch it further. Must not throw.
    InputWatch(Transport& transport, std::function<void()> on_end)
        : transport_(transport), on_end_(std::move(on_end)) {}

    void start();
    void stop() { stopped_ = true; }
    bool has_ended() const { return ended_; }

private:
    void look();

    Transport& transport_;
    std::function<void()> on_end_;
    bool stopped_ = false;
    bool ended_ = false;
};

}  // namespace sluice::server
