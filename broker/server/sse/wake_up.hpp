// What wakes a stream that waits for events: other threads, and its client's departure. Any thread may call a waker;
// all else belongs to the stream's thread.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>

#include "broker/server/net/input_watch.hpp"
#include "broker/server/net/reserved_post.hpp"
#include "broker/server/net/transport.hpp"

namespace sluice::server {

struct WakeUp {
    explicit WakeUp(const boost::asio::any_io_executor& executor) : timer(executor) {}

    boost::asio::steady_timer timer;  // is cancelled
    std::function<void()> on_wake;
    PostMemory post_memory;  // for one wake-up
};

// The `wake` of a mailbox.
inline std::function<void()> waker(const std::shared_ptr<WakeUp>& wake_up) {
    return [wake_up] {
        post_reserved(wake_up->timer.get_executor(), wake_up->post_memory, [wake_up] {
            wake_up->timer.cancel();
            if (wake_up->on_wake) wake_up->on_wake();
        });
    };
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
