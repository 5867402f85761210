// What wakes a stream that waits for events: other threads, and its client's departure. Any thread may call a waker;
// all else belongs to the stream's thread.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>

#include "broker/server/net/input_watch.hpp"
#include "broker/server/net/transport.hpp"
#include "broker/server/net/wake_ups.hpp"

namespace sluice::server {

class WakeUp final : public WakeUps::Sleeper {
public:
    explicit WakeUp(const boost::asio::any_io_executor& executor) : timer(executor), wake_ups(WakeUps::of(executor)) {}

    boost::asio::steady_timer timer;  // is cancelled
    std::function<void()> on_wake;
    WakeUps& wake_ups;  // of its thread

private:
    void wake_up() override {
        timer.cancel();
        if (on_wake) on_wake();
    }
};

// The `wake` of a mailbox.
inline std::function<void()> waker(const std::shared_ptr<WakeUp>& wake_up) {
    return [wake_up] { wake_up->wake_ups.wake(wake_up); };
}

// Watches the client while it lives. When the client has left, it ends what the stream waits for.
class Watched {
public:
    Watched(Transport& transport, WakeUp& wake_up)
        : watch_(std::make_shared<InputWatch>(transport, [&transport, &wake_up] {
              transport.close();
              wake_up.timer.cancel();
          })) {
        watch_->start();
    }
    Watched(const Watched&) = delete;
    Watched& operator=(const Watched&) = delete;
    ~Watched() { watch_->stop(); }

    const InputWatch& client() const { return *watch_; }

private:
    const std::shared_ptr<InputWatch> watch_;
};

}  // namespace sluice::server
