// A TCP connection with TLS.
#pragma once

#include "broker/server/net/socket_transport.hpp"
#include "broker/server/net/tls/tls_session.hpp"

namespace sluice::server {

class TlsTransport final : public SocketTransport {
public:
    TlsTransport(Socket socket, TlsSession session);

    boost::asio::awaitable<bool> open(const std::function<bool()>& begin) override;
    std::string user() const override { return session_.user(); }

    boost::asio::awaitable<std::size_t> read_some(boost::asio::mutable_buffer room) override;
    boost::asio::awaitable<void> wait_to_read() override;
    boost::asio::awaitable<bool> write(std::span<const boost::asio::const_buffer> buffers) override;

    void on_input(std::function<void()> function) override;
    bool drop_arrived() override;

    void end_sending() noexcept override;
    void close() noexcept override;

private:
    std::size_t write_some_now(std::span<const boost::asio::const_buffer> buffers) noexcept override;
    // Waits for what the session wants. Returns false if the connection has ended.
    boost::asio::awaitable<bool> wait_for(TlsSession::State state);

    TlsSession session_;
};

}  // namespace sluice::server
