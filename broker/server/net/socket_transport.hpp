// A connection over TCP or a Unix socket, not encrypted.
#pragma once

#include <boost/asio/generic/stream_protocol.hpp>

#include "broker/server/net/transport.hpp"

namespace sluice::server {

class SocketTransport : public Transport {
public:
    using Socket = boost::asio::generic::stream_protocol::socket;

    explicit SocketTransport(Socket socket);

    boost::asio::any_io_executor executor() override { return socket_.get_executor(); }
    std::string peer() const override;

    boost::asio::awaitable<bool> open(const std::function<bool()>& begin) override;
    std::string user() const override { return {}; }

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

protected:
    static constexpr std::size_t dropped_at_once = 1u << 20;

    Socket& socket() { return socket_; }

private:
    std::size_t write_some_now(std::span<const boost::asio::const_buffer> buffers) noexcept override;
    boost::asio::awaitable<bool> write_at_once(std::span<const boost::asio::const_buffer> buffers);
    boost::asio::awaitable<bool> write_in_turns(std::span<const boost::asio::const_buffer> buffers);

    Socket socket_;
};

}  // namespace sluice::server
