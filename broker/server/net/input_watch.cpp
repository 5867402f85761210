#include "broker/server/net/input_watch.hpp"

#include <exception>

#include "broker/base/log.hpp"

namespace sluice::server {

void InputWatch::start() {
    transport_.on_input([self = shared_from_this()] { self->look(); });
}

void InputWatch::look() {
    if (stopped_) return;
    try {
        if (transport_.drop_arrived()) return start();
    } catch (const std::exception& error) {
        base::log_failure("a connection can't be watched any longer", error.what());
    }
    ended_ = true;
    on_end_();
}

}  // namespace sluice::server
