// One HTTP connection: reads requests one after another, has each answered by what the router finds, and writes the
// replies. Runs as one coroutine on one I/O thread; a failure ends only this connection. Any thread may call the
// functions of Connection.
#pragma once

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "broker/base/memory/memory_budget.hpp"
#include "broker/server/http/authentication.hpp"
#include "broker/server/http/browser_rules.hpp"
#include "broker/server/http/http_types.hpp"
#include "broker/server/http/reply_writer.hpp"
#include "broker/server/http/request_arrival.hpp"
#include "broker/server/http/request_reader.hpp"
#include "broker/server/http/router.hpp"
#include "broker/server/http/takeover.hpp"
#include "broker/server/net/address_table.hpp"
#include "broker/server/net/connection_services.hpp"
#include "broker/server/net/connections.hpp"
#include "broker/server/net/counted_place.hpp"
#include "broker/server/net/principal.hpp"
#include "broker/server/net/reserved_post.hpp"
#include "broker/server/net/session_factory.hpp"
#include "broker/server/net/transport.hpp"

namespace sluice::server {

class RequestBody;
class TurnEnd;

class HttpSession final : public Connection, public std::enable_shared_from_this<HttpSession> {
public:
    // The references must outlive the session.
    HttpSession(ConnectionServices& services, const BrowserRules& browser_rules, Authentication& authentication,
                const Router& router, std::unique_ptr<Transport> transport, Admission admission);

    void start();  // it keeps itself alive, and among the connections, until it ends

    void drain() noexcept override { ask(to_drain); }
    void end_stream() noexcept override { ask(to_end_stream); }
    void end_revoked() noexcept override { ask(to_end_revoked); }
    void give_way() noexcept override { ask(to_give_way); }
    void cut() noexcept override { ask(to_be_cut); }
    void expire() noexcept override { ask(to_expire); }

private:
    // What other threads ask the session to do: bits.
    enum Wish : unsigned {
        to_drain = 1,
        to_end_stream = 2,
        to_give_way = 4,
        to_be_cut = 8,
        to_expire = 16,
        to_end_revoked = 32,
    };

    // What happens to the connection next.
    enum class Next : std::uint8_t { request, takeover, close, closed_by_peer };

    struct Ending;
    struct Routed;

    void ask(Wish wish) noexcept;
    void obey(unsigned wishes);
    void cut_now();
    void expire_now();

    boost::asio::awaitable<void> run();
    boost::asio::awaitable<bool> open();
    boost::asio::awaitable<Next> serve_requests();
    boost::asio::awaitable<Next> serve_request();
    std::optional<HttpReply> identify_client();
    bool may_begin_stream();
    AddressUse& address_use() const { return client_place_ ? **client_place_ : *place_; }
    std::string client_text(const std::string& peer) const;
    std::optional<HttpReply> route_request(Routed& routed);
    bool is_too_large(RequestArrival::End end) const;
    boost::asio::awaitable<Next> serve_route(const Route& route, HttpRequest& request);
    boost::asio::awaitable<Next> serve_body_reader(const Route& route, HttpRequest& request);
    std::string begin_streamed_reply(HttpReply& reply);
    boost::asio::awaitable<HttpReply> handle(const Route& route, HttpRequest& request);
    boost::asio::awaitable<HttpReply> handle_now(const Route& route, HttpRequest& request);
    boost::asio::awaitable<HttpReply> handle_after_replies(const Route& route, HttpRequest& request);
    boost::asio::awaitable<HttpReply> handle_watched(const Route& route, HttpRequest& request);

    void begin_reply();
    std::optional<Next> write_reply_now(HttpReply& reply);
    void log_reply(const HttpReply& reply) const;
    boost::asio::awaitable<Next> write_reply(HttpReply& reply);
    boost::asio::awaitable<Next> write_rest();  // of the reply
    void prepare_takeover(HttpReply& reply);
    boost::asio::awaitable<Next> run_takeover();
    boost::asio::awaitable<Next> refuse(unsigned status, std::string detail);
    boost::asio::awaitable<Next> refuse(RequestArrival::End end);  // for a request that has not fully arrived
    boost::asio::awaitable<Next> refuse_failed(bool out_of_memory);
    boost::asio::awaitable<void> linger();

    ConnectionServices& services_;
    const BrowserRules& browser_rules_;
    Authentication& authentication_;
    const Router& router_;
    const base::MemoryCharge memory_;
    const std::unique_ptr<Transport> transport_;
    Principal principal_;
    const AddressPlace place_;
    const bool is_proxy_;                       // trusted to name clients
    const bool is_relayed_;                     // the transport's peer is not the client
    Principal client_;                          // of the current request
    std::optional<AddressPlace> client_place_;  // its own, if a proxy forwards the request or event stream
    std::optional<CountedPlace> for_monitoring_;
    const bool lacks_memory_;
    const std::optional<CountedPlace> on_thread_;
    std::optional<CountedPlace> beginning_;  // until its first request is read; got: few others begin, too
    RequestReader reader_;
    ReplyWriter replies_;
    RequestArrival arrival_;
    TurnEnd& turn_end_;
    RequestBody* body_ = nullptr;         // of the current request, while its handler reads it
    std::shared_ptr<Takeover> takeover_;  // set while it has taken the connection over
    Next after_reply_ = Next::close;
    // For the log, if it has lines of the level debug.
    std::string peer_;
    Clock::time_point opened_;
    std::optional<Clock::time_point> head_read_;  // of the current request
    std::size_t requests_ = 0;
    std::size_t body_bytes_ = 0;  // of the current request
    std::string permitted_host_;  // of the last request that was not refused for it, if it is short
    bool permitted_host_is_loopback_ = false;
    std::atomic<unsigned> wishes_{0};
    PostMemory post_memory_;
    bool draining_ = false;
    bool replying_ = false;  // the reply to the current request has begun
};

}  // namespace sluice::server
