#include "tests/bench/fanout/read_buffer.hpp"

#include <cerrno>
#include <chrono>
#include <poll.h>
#include <stdexcept>
#include <sys/socket.h>

namespace sluice::fanout {

std::size_t ReadBuffer::receive(const load::Socket& from, std::string_view who) {
    const ssize_t n = recv(from.descriptor(), data(), size, MSG_DONTWAIT);
    if (n > 0) return static_cast<std::size_t>(n);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return 0;
    throw std::runtime_error("the connection of " + std::string(who) + " was closed");
}

void await(load::Socket& socket, std::string_view expected, std::string_view who) {
    using Clock = std::chrono::steady_clock;
    const auto give_up = Clock::now() + std::chrono::seconds(60);
    std::string text;
    while (text.find(expected) == std::string::npos) {
        pollfd ready{socket.descriptor(), static_cast<short>(socket.is_flushed() ? POLLIN : POLLIN | POLLOUT), 0};
        poll(&ready, 1, 100);
        const bool is_open = socket.flush() && socket.receive(text) != load::Socket::Received::closed;
        if (text.find(expected) == std::string::npos && (!is_open || Clock::now() > give_up))
            throw std::runtime_error(std::string(who) + " was answered: " + text.substr(0, 500));
    }
}

}  // namespace sluice::fanout
