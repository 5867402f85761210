// What wakes a coroutine that waits for another thread. It waits by the timer, whose cancellation means that it has
// been woken. A wake-up comes only while it waits, as its thread runs nothing else until then. Any thread may call
// wake() and a waker; all else belongs to the coroutine's thread.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>

#include "broker/server/net/input_watch.hpp"
#include "broker/server/net/transport.hpp"
#include "broker/server/net/wake_ups.hpp"

namespace sluice::server {

class WakeUp : public WakeUps::Sleeper {
public:
    using Time = boost::asio::steady_timer::time_point;

    explicit WakeUp(const boost::asio::any_io_executor& executor, Time deadline = Time::max())
        : timer(executor, deadline), wake_ups(WakeUps::of(executor)) {}

    boost::asio::steady_timer timer;
    std::function<void()> on_wake;  // besides
    WakeUps& wake_ups;              // of its thread

private:
    void wake_up() final {
        timer.cancel();
        if (on_wake) on_wake();
    }
};

// What was done before is seen by who is woken. Never fails.
inline void wake(const std::shared_ptr<WakeUp>& wake_up) { wake_up->wake_ups.wake(wake_up); }

inline std::function<void()> waker(const std::shared_ptr<WakeUp>& wake_up) {
    return [wake_up] { wake(wake_up); };
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
