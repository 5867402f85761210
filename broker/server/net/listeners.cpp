#include "broker/server/net/listeners.hpp"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <chrono>
#include <exception>
#include <thread>
#include <utility>

#include "broker/base/log.hpp"
#include "broker/server/net/connections.hpp"
#include "broker/server/net/listener.hpp"
#include "broker/server/net/transport.hpp"

namespace sluice::server {

namespace asio = boost::asio;

namespace {

constexpr std::chrono::milliseconds pause_after_exception{1};  // by sleeping: a timer would need memory, too

}  // namespace

Listeners::Listeners(IoThreads& threads, ConnectionServices& services, SessionFactory& sessions, const TlsServer* tls)
    : threads_(threads), services_(services), tick_(threads.first()) {
    for (config::ListenerOptions& place : config::places_to_listen(services.options.http)) {
        const TlsServer* its_tls = place.tls ? tls : nullptr;
        listeners_.push_back(std::make_shared<Listener>(std::move(place), its_tls, threads, services, sessions));
    }
}

void Listeners::start() {
    threads_.on_failure([weak = weak_from_this()] {
        if (const auto self = weak.lock()) self->keep_running();
    });
    keep_running();
}

void Listeners::close() {
    for (const auto& listener : listeners_) listener->close();
}

std::vector<config::ListenerOptions> Listeners::places() const {
    std::vector<config::ListenerOptions> places;
    for (const auto& listener : listeners_) places.push_back(listener->place());
    return places;
}

void Listeners::keep_running() {
    for (const auto& listener : listeners_) listener->keep_running();
    if (!expiring_.expired()) return;
    const auto alive = std::make_shared<int>();
    expiring_ = alive;
    asio::co_spawn(
        threads_.first(), [self = shared_from_this(), alive] { return self->expire_late_connections(); },
        [](const std::exception_ptr& failure) {
            if (failure) std::rethrow_exception(failure);
        });
}

asio::awaitable<bool> Listeners::wait_for_tick() {
    const config::HttpOptions& options = services_.options.http;
    const config::Duration shortest =
        std::min({options.idle_timeout, options.request_timeout, services_.options.tls.handshake_timeout});
    tick_.expires_after(
        std::clamp<config::Duration>(shortest / 4, std::chrono::milliseconds(5), std::chrono::seconds(1)));
    const auto [error] = co_await tick_.async_wait(no_throw);
    co_return !error;
}

// Runs while draining, too; ends with the io_context.
asio::awaitable<void> Listeners::expire_late_connections() {
    for (bool goes_on = true; goes_on;) {
        try {
            goes_on = co_await wait_for_tick();
            services_.connections.expire_late(Connection::Clock::now());
            threads_.measure();
        } catch (const std::exception& error) {
            base::log_failure("late connections could not be ended", error.what());
            std::this_thread::sleep_for(pause_after_exception);
        }
    }
}

}  // namespace sluice::server
