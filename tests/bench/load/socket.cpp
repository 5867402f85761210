#include "tests/bench/load/socket.hpp"

#include <cerrno>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdexcept>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace sluice::load {

Socket::Socket(Socket&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), unsent_(std::move(other.unsent_)) {}

Socket& Socket::operator=(Socket&& other) noexcept {
    close();
    descriptor_ = std::exchange(other.descriptor_, -1);
    unsent_ = std::move(other.unsent_);
    return *this;
}

Socket Socket::connect(const std::string& host, std::uint16_t port) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* addresses = nullptr;
    if (const int error = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &addresses); error != 0) {
        throw std::runtime_error(host + ": " + gai_strerror(error));
    }
    Socket socket;
    int error = 0;
    for (auto* a = addresses; a && !socket.is_open(); a = a->ai_next) {
        socket.descriptor_ = ::socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC, a->ai_protocol);
        if (::connect(socket.descriptor_, a->ai_addr, a->ai_addrlen) == 0) break;
        error = errno;
        socket.close();
    }
    freeaddrinfo(addresses);
    if (!socket.is_open()) throw std::system_error(error, std::system_category(), "connect");
    const int on = 1;
    setsockopt(socket.descriptor_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return socket;
}

void Socket::close() {
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = -1;
}

bool Socket::send(std::string_view bytes) {
    if (unsent_.empty()) {
        const auto sent = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno != EAGAIN) return false;
        if (sent > 0) bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    unsent_ += bytes;
    return true;
}

bool Socket::flush() {
    const auto rest = std::exchange(unsent_, {});
    return rest.empty() || send(rest);
}

Socket::Received Socket::receive(std::string& bytes) {
    char piece[65536];
    const auto size = ::recv(descriptor_, piece, sizeof piece, MSG_DONTWAIT);
    if (size > 0) {
        bytes.append(piece, static_cast<std::size_t>(size));
        return Received::some;
    }
    return size < 0 && (errno == EAGAIN || errno == EINTR) ? Received::none_yet : Received::closed;
}

}  // namespace sluice::load
