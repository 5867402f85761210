// Accepts connections at one place, within the limits for all and for each address. Runs on the first I/O thread and
// assigns connections to all of them in turn. Any thread may call close().
#pragma once

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "broker/base/log_limit.hpp"
#include "broker/server/net/connection_services.hpp"
#include "broker/server/net/counted_place.hpp"
#include "broker/server/net/io_threads.hpp"
#include "broker/server/net/plain_address.hpp"
#include "broker/server/net/reserved_post.hpp"
#include "broker/server/net/session_factory.hpp"
#include "config/options.hpp"

namespace sluice::server {

class TlsServer;

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
    using Socket = boost::asio::generic::stream_protocol::socket;

    // Listens at once. Throws std::runtime_error if it can't, with the place in what(). `tls`: null unless place.tls.
    Listener(config::ListenerOptions place, const TlsServer* tls, IoThreads& threads, ConnectionServices& services,
             SessionFactory& sessions);
    ~Listener();

    // Accepts connections from now on, unless it does. On the first I/O thread, or before it runs.
    void keep_running();
    void close();
    const config::ListenerOptions& place() const { return place_; }  // with the port that it has got

private:
    using Acceptor = boost::asio::basic_socket_acceptor<boost::asio::generic::stream_protocol>;

    // Who has connected, as the socket says, or the proxy that it came from.
    struct Peer {
        SocketEndpoint endpoint;
        boost::asio::ip::address address;
        bool is_unix;
        bool is_relayed;
    };
    // A connection whose PROXY header is awaited.
    struct Held {
        Held(Socket from, CountedPlace of, CountedPlace thread)
            : socket(std::move(from)), place(std::move(of)), on_thread(std::move(thread)) {}

        Socket socket;
        const CountedPlace place;
        CountedPlace on_thread;
    };

    void listen_to_tcp();
    void listen_to_unix();
    boost::asio::awaitable<void> accept_connections();
    boost::asio::awaitable<void> accept_connection();
    void admit_others();
    void admit(Socket socket);
    boost::asio::awaitable<void> admit_relayed(std::shared_ptr<Held> held, Peer peer);
    void admit(Socket socket, const Peer& peer, CountedPlace on_thread);
    bool is_trusted(const Peer& peer) const;
    void refuse_proxy(const std::string& peer, const char* reason) const;
    void reject(Socket& socket, const SocketEndpoint& peer, Rejection reason);
    void reject_one();
    boost::asio::awaitable<void> pause(std::chrono::milliseconds time);

    config::ListenerOptions place_;
    const TlsServer* const tls_;
    IoThreads& threads_;
    ConnectionServices& services_;
    SessionFactory& sessions_;
    Acceptor acceptor_;
    boost::asio::steady_timer pause_;
    PostMemory close_memory_;
    SpareDescriptor spare_;
    // For reasons why none could be accepted.
    base::LogLimit told_{1, std::chrono::hours(1)};
    std::atomic<std::size_t> relayed_{0};  // connections whose PROXY header is awaited
    std::weak_ptr<int> accepting_;         // expired: the coroutine has ended
    SocketEndpoint peer_;                  // of the connection being accepted; only accepting writes it
    std::uint64_t socket_file_ = 0;        // of a Unix socket: its inode
};

}  // namespace sluice::server
