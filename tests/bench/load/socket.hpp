// A minimal non-blocking TCP connection: cheap, since the load program shares its machine with the broker it measures.
// Belongs to one thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sluice::load {

class Socket {
public:
    Socket() = default;
    ~Socket() { close(); }
    Socket(Socket&& other) noexcept;
    Socket& operator=(Socket&& other) noexcept;

    // Waits until it is connected; throws std::system_error if it can't be.
    static Socket connect(const std::string& host, std::uint16_t port);

    int descriptor() const { return descriptor_; }
    bool is_open() const { return descriptor_ >= 0; }
    void close();

    // Sends as much as possible at once and keeps the rest for flush(). False: the connection is lost.
    bool send(std::string_view bytes);
    bool flush();
    bool is_flushed() const { return unsent_.empty(); }

    enum class Received : std::uint8_t { some, none_yet, closed };
    Received receive(std::string& bytes);  // appends the available bytes

private:
    int descriptor_ = -1;
    std::string unsent_;
};

}  // namespace sluice::load
