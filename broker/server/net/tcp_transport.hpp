// A plain TCP connection.
#pragma once

#include <boost/asio/ip/tcp.hpp>

#include "broker/server/net/transport.hpp"

namespace sluice::server {

class TcpTransport final : public Transport {
public:
    explicit TcpTransport(boost::asio::ip::tcp::socket socket);

    boost::asio::any_io_executor executor() override { return socket_.get_executor(); }
    std::string peer() const override;

    boost::asio::awaitable<std::size_t> read_some(boost::asio::mutable_buffer room) override;
    boost::asio::awaitable<void> wait_to_read() override;
    boost::asio::awaitable<bool> write(std::span<const boost::asio::const_buffer> buffers) override;

    void on_input(std::function<void()> function) override;
    bool drop_arrived() override;
    bool peer_has_left() override;

    void end_sending() noexcept override;
    void cancel() noexcept override;
    void close() noexcept override;
    void abort() noexcept override;

private:
    std::size_t write_some_now(std::span<const boost::asio::const_buffer> buffers) noexcept override;
    boost::asio::awaitable<bool> write_at_once(std::span<const boost::asio::const_buffer> buffers);
    boost::asio::awaitable<bool> write_in_turns(std::span<const boost::asio::const_buffer> buffers);

    boost::asio::ip::tcp::socket socket_;
};

}  // namespace sluice::server
