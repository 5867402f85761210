// Accepts HTTP connections and cuts those that are late. Runs on the I/O threads; close() may come from any thread.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <cstdint>
#include <memory>

#include "broker/net/services.hpp"

namespace sluice {

class Listener : public std::enable_shared_from_this<Listener> {
public:
    // Listens at once; throws boost::system::system_error where it can't, with the address in what().
    Listener(boost::asio::io_context& io, Services& services);

    void start();
    void close();
    boost::asio::ip::tcp::endpoint local_endpoint() const { return local_; }

private:
    boost::asio::awaitable<void> accept_connections();
    boost::asio::awaitable<void> cut_late_connections();

    boost::asio::io_context& io_;
    Services& services_;
    boost::asio::strand<boost::asio::io_context::executor_type> strand_;
    boost::asio::ip::tcp::acceptor acceptor_;
    boost::asio::steady_timer pause_;
    boost::asio::steady_timer tick_;
    boost::asio::ip::tcp::endpoint local_;
};

}  // namespace sluice
