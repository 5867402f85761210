// The body of a session's request, for a handler that reads it itself. Belongs to the session; on its thread.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "broker/server/http/body_stream.hpp"
#include "broker/server/http/request_arrival.hpp"
#include "broker/server/http/request_reader.hpp"
#include "broker/server/net/address_table.hpp"
#include "broker/server/net/connection_services.hpp"
#include "broker/server/net/connections.hpp"
#include "broker/server/net/transport.hpp"

namespace sluice::server {

class RequestBody final : public BodyStream {
public:
    // The parts of its session, which outlive it.
    struct Session {
        ConnectionServices& services;
        Transport& transport;
        Connection& connection;
        RequestArrival& arrival;
        RequestReader& reader;
        const AddressUse& address;
        // Makes the head of a reply whose body is not known yet, and counts it.
        std::function<std::string(HttpReply&)> begin_reply;
    };

    explicit RequestBody(Session session) : session_(std::move(session)) {}

    boost::asio::awaitable<std::optional<End>> read(std::string& into, Clock::time_point deadline) override;
    void interrupt() noexcept override;
    std::optional<End> asked_to_end() const override { return asked_; }
    std::size_t memory_bytes() const override;
    void narrow() override;
    HttpReply refusal(End end) const override;
    boost::asio::awaitable<bool> begin_reply(HttpReply reply) override;
    boost::asio::awaitable<bool> write(std::string_view text) override;
    boost::asio::awaitable<bool> end_reply() override;

    // Nothing more of it is to be read.
    void end(End why) noexcept;
    std::size_t bytes() const { return bytes_; }  // that have been read

private:
    class Waiting;

    boost::asio::awaitable<bool> go_on();
    boost::asio::awaitable<bool> write_all(std::span<boost::asio::const_buffer> buffers);

    const Session session_;
    std::size_t bytes_ = 0;
    std::optional<End> asked_;
    RequestArrival::End arrived_ = RequestArrival::End::complete;  // how reading has ended, if it has
    bool has_gone_on_ = false;                                     // the client has been asked for the body
    bool waits_ = false;                                           // in read()
    bool interrupted_ = false;                                     // while it waited
    bool chunks_ = false;                                          // the reply is chunked
};

}  // namespace sluice::server
