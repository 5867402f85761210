#include "tests/bench/fanout/publisher.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <sys/socket.h>
#include <system_error>

namespace sluice::fanout {

namespace {

// The line end behind the chunk before, and this one's size.
constexpr std::size_t chunk_head_bytes = 12;

}  // namespace

Publisher::Publisher(const Protocol& protocol, std::uint16_t port)
    : protocol_(protocol),
      socket_(load::Socket::connect("127.0.0.1", port)),
      replies_(protocol.reply_mark, protocol.reply_good.size()),
      messages_(chunk_head_bytes) {
    socket_.send(protocol.hello);
    await(socket_, protocol.welcome, "the publisher");
    const std::string& message = protocol.message.bytes;
    for (std::size_t i = 0; i < messages_at_once; ++i)
        messages_.insert(messages_.end(), message.begin(), message.end());
}

void Publisher::watch(int epoll, std::uint64_t index) const {
    epoll_event event{};
    event.events = EPOLLIN | EPOLLOUT | static_cast<std::uint32_t>(EPOLLET);
    event.data.u64 = index;
    if (epoll_ctl(epoll, EPOLL_CTL_ADD, socket_.descriptor(), &event) != 0)
        throw std::system_error(errno, std::generic_category(), "epoll_ctl");
}

bool Publisher::flush() {
    while (!left_.empty() && can_send_) {
        const ssize_t n = ::send(socket_.descriptor(), left_.data(), left_.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n >= 0)
            left_.remove_prefix(static_cast<std::size_t>(n));
        else if (errno == EAGAIN)
            can_send_ = false;
        else if (errno != EINTR)
            throw std::system_error(errno, std::generic_category(), "the publisher was disconnected");
    }
    return left_.empty();
}

void Publisher::send(std::uint64_t first, std::size_t count) {
    const std::size_t bytes = protocol_.message.bytes.size();
    char* at = messages_.data() + chunk_head_bytes;
    for (std::size_t i = 0; i < count; ++i, at += bytes) {
        for (const auto& [place, modulus] : protocol_.message.places)
            write_number(at + place, modulus == 0 ? first + i : (first + i) % modulus);
    }
    std::size_t begin = chunk_head_bytes;
    if (protocol_.is_chunked) {
        std::array<char, chunk_head_bytes + 1> head{};
        std::snprintf(head.data(), head.size(), "\r\n%08x\r\n", static_cast<unsigned>(count * bytes));
        std::memcpy(messages_.data(), head.data(), chunk_head_bytes);
        begin = in_chunks_ ? 0 : 2;
        in_chunks_ = true;
    }
    left_ = std::string_view(messages_.data() + begin, chunk_head_bytes + count * bytes - begin);
}

std::uint64_t Publisher::read_replies() {
    std::uint64_t replies = 0;
    std::size_t size = 0;
    do {
        size = read_buffer_.receive(socket_, "the publisher");
        if (size > 0) last_reply_.assign(read_buffer_.data(), std::min<std::size_t>(size, 500));
        replies_.scan(read_buffer_.data(), size, [&](std::string_view reply) {
            if (reply != protocol_.reply_good) throw std::runtime_error("a message was refused");
            ++replies;
        });
    } while (size == ReadBuffer::size);
    return replies;
}

}  // namespace sluice::fanout
