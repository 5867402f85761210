// Wake-ups on an I/O thread, by other threads. All that come before the thread gets to them share one post: a batch
// that reaches a thousand subscribers makes the thread's queue no longer. Allocates nothing, so it can't fail.
#pragma once

#include <atomic>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/io_context.hpp>
#include <memory>

#include "broker/server/net/reserved_post.hpp"

namespace sluice::server {

// Those of one io_context with one thread. Any thread may wake; all else belongs to that thread.
class WakeUps final : public boost::asio::execution_context::service {
public:
    using key_type = WakeUps;
    static boost::asio::execution_context::id id;

    // Who is woken.
    class Sleeper {
    public:
        Sleeper() = default;
        Sleeper(const Sleeper&) = delete;
        Sleeper& operator=(const Sleeper&) = delete;
        virtual ~Sleeper() = default;

    private:
        friend class WakeUps;
        virtual void wake_up() = 0;  // on the thread

        std::atomic<bool> is_listed_{false};
        std::shared_ptr<Sleeper> self_;  // while it is listed
        Sleeper* next_ = nullptr;        // in the list
    };

    explicit WakeUps(boost::asio::execution_context& context);
    ~WakeUps() override { drop(); }

    // The executor must be an io_context's.
    static WakeUps& of(const boost::asio::any_io_executor& executor);

    // It is woken soon, once for all calls until then.
    void wake(const std::shared_ptr<Sleeper>& sleeper);

private:
    struct List {
        std::atomic<Sleeper*> newest{nullptr};
        Sleeper* due = nullptr;  // the oldest; no longer among the new ones
        PostMemory post_memory;
    };

    void shutdown() noexcept override { drop(); }
    void drop() noexcept;
    void post();
    void run();
    void collect() noexcept;
    std::shared_ptr<Sleeper> take_oldest() noexcept;

    boost::asio::io_context& io_;
    const std::shared_ptr<List> list_ = std::make_shared<List>();
};

}  // namespace sluice::server
