// Accepts HTTP connections and cuts those that are late. Runs on the first I/O thread, and
// gives connections to all in turn; close() may come from any thread.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <memory>

#include "broker/net/io_threads.hpp"
#include "broker/net/services.hpp"

namespace sluice {

class Listener : public std::enable_shared_from_this<Listener> {
public:
    // Listens at once; throws boost::system::system_error where it can't, with the address in what().
    Listener(IoThreads& threads, Services& services);

    void start();
    void close();
    boost::asio::ip::tcp::endpoint local_endpoint() const { return local_; }

private:
    boost::asio::awaitable<void> accept_connections();
    boost::asio::awaitable<void> cut_late_connections();

    IoThreads& threads_;
    Services& services_;
    boost::asio::ip::tcp::acceptor acceptor_;
    boost::asio::steady_timer pause_;
    boost::asio::steady_timer tick_;
    boost::asio::ip::tcp::endpoint local_;
};

}  // namespace sluice
