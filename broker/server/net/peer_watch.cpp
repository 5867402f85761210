#include "broker/server/net/peer_watch.hpp"

namespace sluice::server {

void PeerWatch::start() {
    timer_.expires_after(interval);
    timer_.async_wait([self = shared_from_this()](const boost::system::error_code&) { self->look(); });
}

void PeerWatch::stop() {
    stopped_ = true;
    timer_.cancel();
}

void PeerWatch::look() {
    if (stopped_) return;
    if (transport_.peer_has_left()) {
        departure_->noticed.store(true, std::memory_order_relaxed);
        if (departure_->on_notice) departure_->on_notice();
    } else {
        start();
    }
}

}  // namespace sluice::server
