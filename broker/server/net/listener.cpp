#include "broker/server/net/listener.hpp"

#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>
#include <cerrno>
#include <exception>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <optional>
#include <stdexcept>
#include <sys/socket.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include "broker/base/log.hpp"
#include "broker/base/memory/memory_budget.hpp"
#include "broker/core/counters.hpp"
#include "broker/server/net/address_table.hpp"
#include "broker/server/net/connections.hpp"
#include "broker/server/net/plain_address.hpp"
#include "broker/server/net/read_proxy_header.hpp"
#include "broker/server/net/socket_transport.hpp"
#include "broker/server/net/tls/tls_server.hpp"
#include "broker/server/net/tls_transport.hpp"
#include "config/options.hpp"

namespace sluice::server {

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

constexpr int unsent_bytes_max = 256 << 10;
constexpr int accepted_at_once_max = 64;
constexpr std::size_t relayed_max = 1'024;      // connections whose PROXY header is awaited
constexpr std::size_t monitoring_max = 8;       // connections beyond limits.connections
constexpr std::size_t without_memory_max = 64;  // of these and of those for which there is no memory
constexpr std::chrono::milliseconds pause_after_error{100};
constexpr std::chrono::milliseconds pause_for_displaced{5};  // for cut connections to close their descriptors
constexpr int pauses_for_displaced_max = 100;

broker::ConnectionRefusal refusal_of(Rejection reason) {
    switch (reason) {
        case Rejection::address_connections:
            return broker::ConnectionRefusal::address;
        case Rejection::connections:
            return broker::ConnectionRefusal::limit;
        case Rejection::descriptors:
        case Rejection::memory:
            break;
    }
    return broker::ConnectionRefusal::resources;
}
constexpr std::chrono::milliseconds pause_without_memory{1};  // by sleeping: a timer would need memory, too

// What tells a TLS client that its connection is refused: an alert, "internal error". A reply could not be read.
const std::string alert("\x15\x03\x03\x00\x02\x02\x50", 7);

constexpr std::uint16_t unprivileged_ports_begin = 1'024;  // for which the kernel has an option, too

const char* advice_in_use(const config::ListenerOptions& place, bool is_listed) {
    if (!place.is_unix())
        return is_listed ? "; choose another port in http.listeners" : "; --set http.port= chooses another port";
    struct stat found {};
    const bool is_socket = ::lstat(place.unix_path.c_str(), &found) == 0 && S_ISSOCK(found.st_mode);
    return is_socket ? "; a process accepts connections there" : "; it is not a socket";
}

bool has_no_room(const boost::system::error_code& error) {
    namespace errc = boost::system::errc;
    return error == errc::too_many_files_open || error == errc::too_many_files_open_in_system ||
           error == errc::no_buffer_space || error == errc::not_enough_memory;
}

// Before it was accepted: others may be waiting behind it.
bool has_ended(const boost::system::error_code& error) {
    namespace errc = boost::system::errc;
    return error == errc::connection_aborted || error == errc::protocol_error;
}

const char* text_of(Rejection reason) {
    switch (reason) {
        case Rejection::address_connections:
            return "limits.address_connections";
        case Rejection::connections:
            return "limits.connections";
        case Rejection::descriptors:
            return "no file descriptors";
        case Rejection::memory:
            break;
    }
    return "limits.memory";
}

// The text is small enough for the kernel to accept at once. A client that misses it still sees the connection end.
void end_with(Listener::Socket& socket, const std::string& text) {
    boost::system::error_code ignored;
    socket.non_blocking(true, ignored);
    socket.write_some(asio::buffer(text), ignored);
    socket.shutdown(asio::socket_base::shutdown_send, ignored);
    std::array<char, 4096> dropped;  // unread bytes would make the kernel reset the connection and lose the reply
    socket.read_some(asio::buffer(dropped), ignored);
}

}  // namespace

void SpareDescriptor::take() noexcept {
    if (descriptor_ < 0) descriptor_ = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
}

void SpareDescriptor::release() noexcept {
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = -1;
}

Listener::Listener(config::ListenerOptions place, const TlsServer* tls, IoThreads& threads,
                   ConnectionServices& services, SessionFactory& sessions)
    : place_(std::move(place)),
      tls_(tls),
      threads_(threads),
      services_(services),
      sessions_(sessions),
      acceptor_(threads.first()),
      pause_(threads.first()) {
    try {
        place_.is_unix() ? listen_to_unix() : listen_to_tcp();
        acceptor_.listen();
        acceptor_.non_blocking(true);
        // Else accept() would wait for the next connection after one that has ended before it was accepted.
        acceptor_.set_option(asio::socket_base::enable_connection_aborted(true));
    } catch (const boost::system::system_error& error) {
        // Not error.what(), which includes a position in Asio's source.
        std::string message = "cannot listen on " + place_.text() + ": " + error.code().message();
        if (error.code() == asio::error::address_in_use)
            message += advice_in_use(place_, !services_.options.http.listeners.empty());
        if (error.code() == asio::error::access_denied && !place_.is_unix() && place_.port < unprivileged_ports_begin)
            message += "; ports below 1024 need the capability CAP_NET_BIND_SERVICE";
        throw std::runtime_error(message);
    }
}

Listener::~Listener() {
    struct stat found {};
    if (socket_file_ != 0 && ::stat(place_.unix_path.c_str(), &found) == 0 && found.st_ino == socket_file_)
        ::unlink(place_.unix_path.c_str());
}

void Listener::listen_to_tcp() {
    const tcp::endpoint endpoint(asio::ip::make_address(place_.address), place_.port);
    acceptor_.open(endpoint.protocol());
    acceptor_.set_option(asio::socket_base::reuse_address(true));
    acceptor_.bind(endpoint);
    // Bytes in the kernel for a slow reader escape the broker's limits, so bound them. Connections inherit the option.
    setsockopt(acceptor_.native_handle(), IPPROTO_TCP, TCP_NOTSENT_LOWAT, &unsent_bytes_max, sizeof(int));
    place_.port = tcp_endpoint(acceptor_.local_endpoint())->port();
}

// A socket that a killed process has left is replaced: nobody accepts connections there.
void Listener::listen_to_unix() {
    using Unix = asio::local::stream_protocol;
    const Unix::endpoint endpoint(place_.unix_path);
    const char* path = place_.unix_path.c_str();
    struct stat found {};
    if (::lstat(path, &found) == 0 && S_ISSOCK(found.st_mode)) {
        boost::system::error_code error;
        Unix::socket probe(threads_.first());
        probe.connect(endpoint, error);
        if (error == asio::error::connection_refused) ::unlink(path);
    }
    acceptor_.open(Unix());
    acceptor_.bind(endpoint);
    if (::chmod(path, place_.mode) != 0) throw boost::system::system_error(errno, boost::system::system_category());
    if (::stat(path, &found) == 0) socket_file_ = found.st_ino;
}

// The coroutine holds a token, `alive`, until it ends for whatever reason.
void Listener::keep_running() {
    if (!acceptor_.is_open() || !accepting_.expired()) return;
    const auto alive = std::make_shared<int>();
    accepting_ = alive;
    asio::co_spawn(
        threads_.first(), [self = shared_from_this(), alive] { return self->accept_connections(); },
        [](const std::exception_ptr& failure) {
            if (failure) std::rethrow_exception(failure);
        });
}

void Listener::close() {
    post_reserved(acceptor_.get_executor(), close_memory_, [self = shared_from_this()] {
        boost::system::error_code ignored;
        self->acceptor_.close(ignored);
        self->pause_.cancel();
    });
}

// A failure for one connection does not stop the listener.
asio::awaitable<void> Listener::accept_connections() {
    while (acceptor_.is_open()) {
        try {
            co_await accept_connection();
        } catch (const std::exception& error) {
            base::log_failure("connection could not be accepted", error.what());
            std::this_thread::sleep_for(pause_without_memory);
        }
    }
}

asio::awaitable<void> Listener::accept_connection() {
    const auto [aborted] = co_await acceptor_.async_wait(Acceptor::wait_read, no_throw);
    if (aborted) co_return;
    Socket socket(threads_.next());  // chosen when there is a connection: it may have taken hours
    boost::system::error_code error;
    acceptor_.accept(socket, peer_, error);
    if (error == asio::error::would_block || has_ended(error)) co_return;
    if (!error) {
        for (int n = 0; n < pauses_for_displaced_max && services_.connections.awaits_room(); ++n)
            co_await pause(pause_for_displaced);
        admit(std::move(socket));
        admit_others();
        co_return;
    }
    const std::string reason = error.message();
    if (told_.take(reason, base::LogLimit::Clock::now()))
        base::log_warn("connection could not be accepted", {{"reason", reason}});
    const bool makes_room = has_no_room(error) && services_.connections.displace();
    if (has_no_room(error) && !makes_room) reject_one();
    co_await pause(makes_room ? pause_for_displaced : pause_after_error);
}

// Without a descriptor, a client would wait for an answer that can't come.
void Listener::reject_one() {
    spare_.release();
    Socket socket(threads_.first());
    boost::system::error_code error;
    acceptor_.accept(socket, peer_, error);
    if (!error) reject(socket, peer_, Rejection::descriptors);
    socket.close(error);
    spare_.take();
}

asio::awaitable<void> Listener::pause(std::chrono::milliseconds time) {
    pause_.expires_after(time);
    co_await pause_.async_wait(no_throw);
}

// Accepts all pending connections at once. One by one, each would wait for everything else ready on this thread.
void Listener::admit_others() {
    for (int n = 0; n < accepted_at_once_max && !services_.connections.awaits_room(); ++n) {
        Socket socket(threads_.next());
        boost::system::error_code error;
        acceptor_.accept(socket, peer_, error);
        if (error) return;
        admit(std::move(socket));
    }
}

void Listener::reject(Socket& socket, const SocketEndpoint& peer, Rejection reason) {
    broker::count(services_.counters.connections_refused[refusal_of(reason)]);
    base::log_at(config::LogLevel::debug, [&] {
        base::log_debug("connection refused", {{"peer", endpoint_text(peer)}, {"reason", text_of(reason)}});
    });
    end_with(socket, tls_ != nullptr ? alert : sessions_.rejection_text(reason));
}

bool Listener::is_trusted(const Peer& peer) const {
    return peer.is_unix ? services_.proxies.has_unix_peers() : services_.proxies.contains(peer.address);
}

void Listener::admit(Socket socket) {
    boost::system::error_code ignored;
    const auto tcp_peer = tcp_endpoint(peer_);
    if (tcp_peer) {
        socket.set_option(tcp::no_delay(true), ignored);
        socket.set_option(asio::socket_base::keep_alive(true), ignored);
    }
    const Peer peer{peer_, tcp_peer ? tcp_peer->address() : asio::ip::address_v4::loopback(), !tcp_peer, false};
    CountedPlace on_thread = threads_.count_on(socket.get_executor());
    if (!place_.proxy_protocol) return admit(std::move(socket), peer, std::move(on_thread));
    if (!is_trusted(peer)) return refuse_proxy(endpoint_text(peer.endpoint), "not in http.trusted_proxies");
    CountedPlace waiting(relayed_, relayed_max);
    if (!waiting.got()) return reject(socket, peer.endpoint, Rejection::connections);
    const auto admit_later = [self = shared_from_this(), peer,
                              held =
                                  std::make_shared<Held>(std::move(socket), std::move(waiting), std::move(on_thread))] {
        return self->admit_relayed(held, peer);
    };
    asio::co_spawn(threads_.first(), admit_later, asio::detached);
}

// The proxy has connected, and says now for whom.
asio::awaitable<void> Listener::admit_relayed(std::shared_ptr<Held> held, Peer peer) {
    const auto header = co_await read_proxy_header(held->socket, services_.options.tls.handshake_timeout);
    if (!acceptor_.is_open()) co_return;
    if (header.state != ProxyHeader::State::done)
        co_return refuse_proxy(endpoint_text(peer.endpoint), "no valid PROXY header");
    peer.is_relayed = true;
    if (header.client) {
        peer.address = *header.client;
        peer.is_unix = false;
    }
    admit(std::move(held->socket), peer, std::move(held->on_thread));
}

void Listener::refuse_proxy(const std::string& peer, const char* reason) const {
    broker::count(services_.counters.connections_refused[broker::ConnectionRefusal::proxy]);
    base::log_debug("connection refused", {{"peer", peer}, {"reason", reason}});
}

void Listener::admit(Socket socket, const Peer& peer, CountedPlace on_thread) {
    Principal principal{peer.address};
    principal.is_local = principal.address.is_loopback() && !peer.is_relayed;
    // The address first: one over its limit displaces nobody.
    const bool is_proxy = is_trusted(peer);
    const auto now = AddressTable::Clock::now();
    AddressPlace place = is_proxy ? services_.addresses.connect_proxy(principal.address, now)
                                  : services_.addresses.connect(principal.address, now);
    if (!place) return reject(socket, peer.endpoint, Rejection::address_connections);
    std::optional<CountedPlace> for_monitoring;
    if (!services_.connections.make_room()) for_monitoring.emplace(services_.monitoring_connections, monitoring_max);
    if (for_monitoring && !for_monitoring->got()) return reject(socket, peer.endpoint, Rejection::connections);
    const std::size_t memory_bytes = connection_memory_bytes + (tls_ != nullptr ? tls_memory_bytes : 0);
    base::MemoryCharge memory = services_.memory.charge(base::MemoryUse::connections, memory_bytes);
    const bool lacks_memory = !memory;
    if (lacks_memory) {
        if (!for_monitoring) for_monitoring.emplace(services_.monitoring_connections, without_memory_max);
        if (!for_monitoring->got()) return reject(socket, peer.endpoint, Rejection::memory);
        memory = services_.memory.force_charge(base::MemoryUse::connections, memory_bytes);
    }
    broker::count(services_.counters.connections_accepted);
    std::unique_ptr<Transport> transport;
    if (tls_ != nullptr)
        transport = std::make_unique<TlsTransport>(std::move(socket), tls_->new_session());
    else
        transport = std::make_unique<SocketTransport>(std::move(socket));
    sessions_.start_session(std::move(transport),
                            {std::move(principal), std::move(place), is_proxy, peer.is_relayed, std::move(memory),
                             std::move(for_monitoring), lacks_memory, std::move(on_thread)});
}

}  // namespace sluice::server
