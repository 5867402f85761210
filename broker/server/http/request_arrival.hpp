// Receives a connection's requests: reads them from the transport into the connection's RequestReader, within each
// request's limits of time, memory and its address's share, and reports how reading ended. Before it waits for bytes,
// it has the replies to earlier requests written. The session answers. Belongs to the connection's thread.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "broker/base/memory/memory_budget.hpp"
#include "broker/server/http/request_reader.hpp"
#include "broker/server/net/address_table.hpp"
#include "broker/server/net/connection_services.hpp"
#include "broker/server/net/connections.hpp"
#include "broker/server/net/transport.hpp"

namespace sluice::server {

class ReplyWriter;

// The time after which a body is too slow if no more than `received` bytes of it have arrived. `begun`: when reading it
// began. `rate`: bytes a second; 0: no limit.
Connection::Clock::time_point slow_body_deadline(Connection::Clock::time_point begun, std::size_t received,
                                                 std::size_t rate);

class RequestArrival {
public:
    // How reading a head or a body ended.
    enum class End : std::uint8_t {
        complete,
        refused,  // by the reader, which gives the reason
        peer_left,
        late,              // see give_up()
        no_memory,         // now
        never_any_memory,  // not even in an idle broker
        share_taken,       // by other requests of the address
        share_too_small,   // for this request, even alone
        unknown_expectation,
    };

    // Of clients served before, when waiting connections are cut.
    static constexpr std::chrono::seconds familiar_lead{30};

    // `short_head_bytes`: the size of a head that the connection's charge already covers. The other arguments must
    // outlive this object.
    RequestArrival(ConnectionServices& services, Transport& transport, Connection& connection, RequestReader& reader,
                   ReplyWriter& replies, std::size_t short_head_bytes);

    void next();  // begins another request
    // Reads a head or a body that has arrived whole, as most have; none: the rest of it must be waited for. `share`
    // grows to what the request takes of its address's bytes.
    std::optional<End> read_arrived_head();
    std::optional<End> read_arrived_body(std::size_t body_bytes_max, AddressBytes& share);
    boost::asio::awaitable<End> read_head();
    // `share` and `memory` grow to what the request takes of its address's bytes and of the broker's memory.
    boost::asio::awaitable<End> read_body(std::size_t body_bytes_max, AddressBytes& share, base::MemoryCharge& memory);
    // For a body that is read part by part, whose caller has a charge for the reader's buffers. First returns
    // `complete` or `unknown_expectation`; then, for each part, waits until more of it has come, which the reader's
    // body() then has. The caller sets the deadline and empties body(). No End: there may be more. `peer_left`: or the
    // wait was cancelled.
    End begin_body_parts();
    boost::asio::awaitable<std::optional<End>> read_body_part();
    // Lets a client that waits for it send its body. Returns false if the connection is broken.
    boost::asio::awaitable<bool> go_on();
    void finish() { phase_ = Phase::done; }  // nothing more of this request is read
    void count_time();                       // of reading the request, which is complete, if it is to be timed

    void drain();  // ends waiting for a request of which nothing has arrived, now and later
    // The request's time is over: ends reading it, as `late`. Returns false if no request is being read or it is
    // already late.
    bool give_up();
    void drop();  // frees as much memory as it can

private:
    using Clock = Connection::Clock;
    enum class Phase : std::uint8_t { idle, reading, done };

    // Whether it is waiting for a request and nothing of it has arrived.
    bool is_idle() const;
    boost::asio::mutable_buffer prepare_read();
    boost::asio::awaitable<bool> read_more();
    End end_head(RequestReader::Step step);
    bool has_unknown_expectation() const;
    End end_early() const { return late_ ? End::late : End::peer_left; }
    static End end_without_share(const AddressBytes& share, std::uint64_t bytes);
    std::size_t input_memory(std::size_t capacity, std::size_t head) const;
    bool charge_input(std::size_t bytes);
    void charge_whole_head();
    bool charge_wide_read();
    void be_idle();
    bool charge_body(base::MemoryCharge& memory);
    std::size_t body_memory(std::uint64_t least) const;
    End end_without_memory() const;

    ConnectionServices& services_;
    Transport& transport_;
    Connection& connection_;
    RequestReader& reader_;
    ReplyWriter& replies_;
    const std::size_t short_head_bytes_;
    base::MemoryCharge input_memory_;  // for much input or a long head, in MemoryUse::bodies
    Clock::time_point deadline_;       // of the request, once it takes more than one read
    Phase phase_ = Phase::idle;
    bool late_ = false;
    bool draining_ = false;
    bool is_timed_ = false;
    Clock::time_point arrived_;  // if it is timed: when its last bytes did
    bool has_served_ = false;    // the connection has had a request, even if refused
};

}  // namespace sluice::server
