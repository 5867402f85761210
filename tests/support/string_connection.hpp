// A connection to a broker without a socket: what its peer sends is a string, what the session writes is kept, and the
// thread that calls run() does all of the session's I/O. The broker's other threads work as usual.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "broker/server/api/services.hpp"
#include "broker/server/http/http_session.hpp"
#include "broker/server/http/router.hpp"

namespace sluice::testing {

class StringConnection {
public:
    // Its session reads at most `piece` bytes at a time, writes as many without a wait, and can write `output_max`
    // bytes before the connection breaks. `router`: empty for that of the services.
    // The context must outlive the broker: other threads may still hold the session's timers.
    StringConnection(boost::asio::io_context& io, server::Services& services,
                     std::size_t piece = static_cast<std::size_t>(-1),
                     std::size_t output_max = static_cast<std::size_t>(-1), server::Router router = {});
    ~StringConnection();
    StringConnection(const StringConnection&) = delete;
    StringConnection& operator=(const StringConnection&) = delete;

    // The peer sends bytes, or closes its sending side.
    void send(std::string_view bytes);
    void end();
    // Whether the peer takes what the session writes. If not, each write waits; at first it does.
    void take_output(bool takes);

    const std::string& output() const;  // everything written so far
    std::size_t writes() const;         // that have written something
    std::size_t reads() const;          // that have read something
    std::size_t unread_bytes() const;   // of those sent, which the session has not read
    // Precondition: it has not ended.
    server::HttpSession& session() const { return *session_.lock(); }
    bool has_ended() const { return session_.expired(); }

    // Runs what is ready, or waits for it a moment. Exceptions end the operation that threw them, as on an I/O thread.
    void run();

private:
    class Transport;
    struct Peer;

    boost::asio::io_context& io_;
    std::shared_ptr<Peer> peer_;
    const server::Router router_;
    std::weak_ptr<server::HttpSession> session_;
};

}  // namespace sluice::testing
