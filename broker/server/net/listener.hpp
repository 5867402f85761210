// Accepts connections within the limits for all and for each address, and ends those past their deadlines. Runs on
// the first I/O thread and assigns connections to all of them in turn. Any thread may call close().
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <memory>

#include "broker/base/repeat_guard.hpp"
#include "broker/server/net/connection_services.hpp"
#include "broker/server/net/io_threads.hpp"
#include "broker/server/net/reserved_post.hpp"
#include "broker/server/net/session_factory.hpp"

namespace sluice::server {

// A file descriptor kept for the moment when there are no others.
class SpareDescriptor {
public:
    SpareDescriptor() { take(); }
    SpareDescriptor(const SpareDescriptor&) = delete;
    SpareDescriptor& operator=(const SpareDescriptor&) = delete;
    ~SpareDescriptor() { release(); }

    void take() noexcept;
    void release() noexcept;

private:
    int descriptor_ = -1;
};

class Listener : public std::enable_shared_from_this<Listener> {
public:
    // Listens at once. Throws std::runtime_error if it can't, with the address in what().
    Listener(IoThreads& threads, ConnectionServices& services, SessionFactory& sessions);

    void start();
    void close();
    boost::asio::ip::tcp::endpoint local_endpoint() const { return local_; }

private:
    void keep_running();
    boost::asio::awaitable<void> accept_connections();
    boost::asio::awaitable<void> accept_connection();
    void admit_others();
    void admit(boost::asio::ip::tcp::socket socket);
    void reject(boost::asio::ip::tcp::socket& socket, Rejection reason);
    void reject_one();
    boost::asio::awaitable<void> pause(std::chrono::milliseconds time);
    boost::asio::awaitable<void> expire_late_connections();
    boost::asio::awaitable<bool> wait_for_tick();  // false: the daemon is ending

    IoThreads& threads_;
    ConnectionServices& services_;
    SessionFactory& sessions_;
    boost::asio::ip::tcp::acceptor acceptor_;
    boost::asio::steady_timer pause_;
    boost::asio::steady_timer tick_;
    PostMemory close_memory_;
    SpareDescriptor spare_;
    base::RepeatGuard told_;                   // reasons already logged why connections could not be accepted
    std::weak_ptr<int> accepting_, expiring_;  // expired: the coroutine has ended
    boost::asio::ip::tcp::endpoint local_;
    boost::asio::ip::tcp::endpoint peer_;  // of the connection being accepted
};

}  // namespace sluice::server
