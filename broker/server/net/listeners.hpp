// All places at which the daemon listens. Also ends connections that are past their deadlines. Any thread may call
// close().
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <vector>

#include "broker/server/net/connection_services.hpp"
#include "broker/server/net/io_threads.hpp"
#include "broker/server/net/session_factory.hpp"
#include "config/options.hpp"

namespace sluice::server {

class Listener;
class TlsServer;

class Listeners : public std::enable_shared_from_this<Listeners> {
public:
    // Listens at once. Throws std::runtime_error if it can't. `tls`: null if no listener speaks TLS.
    Listeners(IoThreads& threads, ConnectionServices& services, SessionFactory& sessions, const TlsServer* tls);

    void start();
    void close();
    std::vector<config::ListenerOptions> places() const;  // with the ports that they have got

private:
    void keep_running();
    boost::asio::awaitable<void> expire_late_connections();
    boost::asio::awaitable<bool> wait_for_tick();  // false: the daemon is ending

    IoThreads& threads_;
    ConnectionServices& services_;
    std::vector<std::shared_ptr<Listener>> listeners_;
    boost::asio::steady_timer tick_;
    std::weak_ptr<int> expiring_;  // expired: the coroutine has ended
};

}  // namespace sluice::server
