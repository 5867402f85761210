// The connection that publishes: sends many messages by one call, out of a buffer in which only their numbers are
// written, and reads the replies. Never waits: a broker that does not read until its replies are read would wait for
// ever. Belongs to one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <sys/epoll.h>
#include <vector>

#include "tests/bench/fanout/mark_scanner.hpp"
#include "tests/bench/fanout/protocol.hpp"
#include "tests/bench/fanout/read_buffer.hpp"
#include "tests/bench/load/socket.hpp"

namespace sluice::fanout {

class Publisher {
public:
    static constexpr std::size_t messages_at_once = 64;

    // Connects; throws std::runtime_error. `protocol` must outlive it.
    Publisher(const Protocol& protocol, std::uint16_t port);
    Publisher(const Publisher&) = delete;
    Publisher& operator=(const Publisher&) = delete;

    // Has `epoll` report when there is something to read, or to send again, with `index`: on_ready() wants to know.
    void watch(int epoll, std::uint64_t index) const;
    void on_ready(std::uint32_t events) { can_send_ = can_send_ || (events & EPOLLOUT) != 0; }

    // Sends as much as the connection takes. True: nothing is left, so more may be begun.
    bool flush();
    // Begins to send; `text` must stay until it is flushed.
    void send(std::string_view text) { left_ = text; }
    // Begins to send `count` messages, at most messages_at_once.
    void send(std::uint64_t first, std::size_t count);

    // Reads all replies that have come, and returns how many; throws std::runtime_error for one that is not good.
    std::uint64_t read_replies();
    // The beginning of what was read last.
    const std::string& last_reply() const { return last_reply_; }

private:
    const Protocol& protocol_;
    load::Socket socket_;
    MarkScanner replies_;
    ReadBuffer read_buffer_;
    std::string last_reply_;
    std::vector<char> messages_;  // messages_at_once of them, behind a chunk's head
    std::string_view left_;       // to be sent
    bool can_send_ = true;
    bool in_chunks_ = false;  // one was sent
};

}  // namespace sluice::fanout
