#include "broker/server/http/http_session.hpp"

#include <boost/asio/co_spawn.hpp>
#include <new>
#include <utility>

#include "broker/base/log.hpp"
#include "broker/base/memory/memory_budget.hpp"
#include "broker/core/counters.hpp"
#include "broker/server/http/busy_problems.hpp"
#include "broker/server/http/head_rules.hpp"
#include "broker/server/http/http_text.hpp"
#include "broker/server/http/request_body.hpp"
#include "broker/server/http/request_client.hpp"
#include "broker/server/http/request_log.hpp"
#include "broker/server/http/request_refusals.hpp"
#include "broker/server/net/peer_watch.hpp"
#include "broker/server/net/turn_end.hpp"
#include "broker/server/net/turns.hpp"
#include "config/options.hpp"

namespace sluice::server {

namespace asio = boost::asio;

namespace {

constexpr std::size_t ignored_body_bytes_max = 64u << 10;  // for routes that take no body
constexpr std::chrono::seconds linger_timeout{2};
constexpr std::size_t requests_at_once = 16;     // of a connection, if they have arrived already
constexpr std::size_t new_connections_few = 16;  // they begin at once
constexpr std::size_t remembered_host_bytes_max = 64;

}  // namespace

HttpSession::HttpSession(ConnectionServices& services, const BrowserRules& browser_rules,
                         Authentication& authentication, const Router& router, std::unique_ptr<Transport> transport,
                         Admission admission)
    : services_(services),
      browser_rules_(browser_rules),
      authentication_(authentication),
      router_(router),
      memory_(std::move(admission.memory)),
      transport_(std::move(transport)),
      principal_(std::move(admission.principal)),
      place_(std::move(admission.place)),
      is_proxy_(admission.is_proxy),
      is_relayed_(admission.is_relayed),
      client_(principal_),
      for_monitoring_(std::move(admission.for_monitoring)),
      lacks_memory_(admission.lacks_memory),
      on_thread_(std::move(admission.on_thread)),
      reader_(services.options.http.header_bytes),
      replies_(services, *transport_, *this),
      arrival_(services, *transport_, *this, reader_, replies_, connection_memory_bytes / 2),
      turn_end_(TurnEnd::of(transport_->executor())) {}

void HttpSession::start() {
    const auto self = shared_from_this();
    beginning_.emplace(services_.new_connections, new_connections_few);
    services_.connections.add(self);
    base::log_at(config::LogLevel::debug, [this] {
        opened_ = Clock::now();
        peer_ = transport_->peer();
        log_opened(peer_);
    });
    try {
        asio::co_spawn(transport_->executor(), run(), [self](const std::exception_ptr&) {});
    } catch (...) {
        services_.connections.remove(self);
        throw;
    }
}

// A function that is posted already sees this wish, too.
void HttpSession::ask(Wish wish) noexcept {
    wishes_.fetch_or(wish);
    post_reserved(transport_->executor(), post_memory_,
                  [self = shared_from_this()] { self->obey(self->wishes_.exchange(0)); });
}

void HttpSession::obey(unsigned wishes) {
    if ((wishes & to_drain) != 0) {
        draining_ = true;
        arrival_.drain();
        if (body_ != nullptr) body_->end(BodyStream::End::draining);
    }
    if ((wishes & to_end_stream) != 0 && takeover_) takeover_->finish();
    if ((wishes & to_end_revoked) != 0 && client_.account->is_revoked) {
        if (takeover_) takeover_->revoke();
        if (body_ != nullptr) body_->end(BodyStream::End::revoked);
    }
    if ((wishes & to_give_way) != 0) {
        if (waiting_since() == Clock::time_point::max())
            services_.connections.stays(*this);
        else if (body_ != nullptr)
            body_->end(BodyStream::End::displaced);
        else
            transport_->close();
    }
    if ((wishes & to_be_cut) != 0) cut_now();
    if ((wishes & to_expire) != 0) expire_now();
}

// Data that a slow subscriber has not read is not worth the kernel's memory.
void HttpSession::cut_now() { takeover_ ? transport_->abort() : transport_->close(); }

void HttpSession::expire_now() {
    const Clock::time_point now = Clock::now();
    if (!is_late(now)) return;  // a request has come meanwhile
    if (!arrival_.give_up()) return cut_now();
    set_deadline(now + linger_timeout);
}

// Ends the connection however run() ends: where an operation can't begin for lack of memory, Asio destroys the
// coroutine without an exception in it.
struct HttpSession::Ending {
    const std::shared_ptr<HttpSession> session;

    ~Ending() {
        base::log_at(config::LogLevel::debug,
                     [this] { log_closed(session->peer_, session->requests_, Clock::now() - session->opened_); });
        session->replies_.write_collected_at_end();
        session->transport_->close();
        // The session may outlive the broker's other parts, in a function that was posted for it.
        session->takeover_.reset();
        session->for_monitoring_.reset();
        session->beginning_.reset();
        session->services_.connections.remove(session);
    }
};

asio::awaitable<void> HttpSession::run() {
    const Ending ending{shared_from_this()};
    Next next = Next::close;
    bool failed = false, out_of_memory = false;
    try {
        next = co_await serve_requests();
    } catch (const std::bad_alloc& error) {
        base::log_failure("request failed", error.what());
        failed = out_of_memory = true;
    } catch (const std::exception& error) {
        base::log_failure("request failed", error.what());
        failed = true;
    }
    takeover_.reset();
    try {
        if (failed && !replying_ && !replies_.is_writing()) next = co_await refuse_failed(out_of_memory);
        if (replies_.has_collected() && !co_await replies_.write_collected()) next = Next::closed_by_peer;
        if (next == Next::close) co_await linger();
    } catch (const std::exception& error) {
        base::log_failure("connection was closed without a reply", error.what());
    }
}

// A connection that is not open yet gives way before any other. A handshake costs as much as a request, and counts as
// one of its address.
asio::awaitable<bool> HttpSession::open() {
    const Clock::time_point now = Clock::now();
    set_deadline(now + services_.options.tls.handshake_timeout);
    set_waiting(now);
    const bool is_open =
        co_await transport_->open([this] { return !place_->take_request(AddressUse::Clock::now()).has_value(); });
    clear_deadline();
    // The certificate of a proxy says who the proxy is, not who its clients are.
    if (is_open && !is_proxy_) principal_.user = transport_->user();
    co_return is_open && !draining_;
}

asio::awaitable<HttpSession::Next> HttpSession::serve_requests() {
    // When many come at once, each waits until what is ready on its thread has been served.
    if (!beginning_->got()) co_await take_turn(transport_->executor());
    beginning_.reset();
    if (!co_await open()) co_return Next::closed_by_peer;
    Next next = Next::request;
    for (std::size_t served = 0; next == Next::request; ++served) {
        if (served == requests_at_once) {
            if (replies_.has_collected() && !co_await replies_.write_collected()) co_return Next::closed_by_peer;
            co_await take_turn(transport_->executor());
            served = 0;
        }
        next = co_await serve_request();
        if (next != Next::takeover) client_place_.reset();
    }
    // Not within serve_request(), which holds the request: the takeover may last for days.
    if (next == Next::takeover) next = co_await run_takeover();
    co_return next;
}

// A request whose head has been read, and what answers it.
struct HttpSession::Routed {
    wire::RequestTarget target;
    Route route;
    HttpRequest request;  // has views of the target
};

asio::awaitable<HttpSession::Next> HttpSession::serve_request() {
    arrival_.next();
    client_.is_local = false;
    client_.user.clear();
    replying_ = false;
    body_bytes_ = 0;
    head_read_.reset();
    if (draining_ && reader_.input_bytes() == 0) co_return Next::close;
    std::optional<RequestArrival::End> end = arrival_.read_arrived_head();
    if (!end) end = co_await arrival_.read_head();
    if (*end != RequestArrival::End::complete && *end != RequestArrival::End::refused) co_return co_await refuse(*end);
    ++requests_;
    base::log_at(config::LogLevel::debug, [this] { head_read_ = Clock::now(); });
    auto refusal = identify_client();
    if (!refusal) refusal = rate_refusal(services_, address_use());
    if (refusal) {
        // The head has not been checked yet, so the end of the body may be in doubt.
        refusal->closes = !reader_.is_complete() || find_fault_in_head(reader_.head()).has_value();
        co_return co_await write_reply(*refusal);
    }
    if (*end == RequestArrival::End::refused) co_return co_await refuse(*end);
    broker::count(services_.counters.requests);
    Routed routed;
    refusal = route_request(routed);
    if (!refusal) {
        client_.user = principal_.user;
        if (!authentication_.identify(routed.request, client_, refusal))
            refusal = co_await authentication_.check(routed.request, client_);
        if (!client_.ticket.empty()) drop_ticket(routed.request.query);
        if (!refusal) refusal = refuse_unless_permitted(routed.route.needs, client_, routed.route.name);
    }
    if (refusal) co_return co_await write_reply(*refusal);
    co_return co_await serve_route(routed.route, routed.request);
}

// Returns the reply that refuses the request, if the client has no place for it.
std::optional<HttpReply> HttpSession::identify_client() {
    if (!is_proxy_) return std::nullopt;
    client_.address = forwarded_client(reader_.head(), services_.proxies, principal_.address);
    if (client_.address == principal_.address) return std::nullopt;
    const auto now = AddressTable::Clock::now();
    AddressPlace place = services_.proxies.contains(client_.address)
                             ? services_.addresses.connect_proxy(client_.address, now)
                             : services_.addresses.connect(client_.address, now);
    if (!place) return place_refusal(services_);
    client_place_.emplace(std::move(place));
    return std::nullopt;
}

// The user may have changed since the request was identified, and a ticket may be gone.
bool HttpSession::may_begin_stream() {
    if (client_.account->is_revoked) return false;
    if (client_.ticket.empty()) return true;
    return authentication_.tickets().begin_stream(client_.ticket, [session = weak_from_this()] {
        if (const auto self = session.lock()) self->end_stream();
    });
}

// For logs. `peer`: the transport's.
std::string HttpSession::client_text(const std::string& peer) const {
    return !is_relayed_ && client_.address == principal_.address ? peer : client_.address.to_string();
}

// Returns the reply that refuses the request, if any.
std::optional<HttpReply> HttpSession::route_request(Routed& routed) {
    const RequestReader::Head& head = reader_.head();
    if (auto reply = find_fault_in_head(head)) return reply;
    auto target = wire::parse_target(head.target());
    if (!target && head.method() == http::verb::options && head.target() == "*") target.emplace().path = "*";
    if (!target) return status_reply(400, "the request target is not a path with a well-formed query");
    routed.target = std::move(*target);
    const std::string& path = routed.target.path;
    const std::string_view authority = routed.target.authority;
    const std::string_view host = authority.empty() ? field_value(head, http::field::host) : authority;
    const bool is_permitted = host == permitted_host_;
    if (auto reply = browser_rules_.refuse(head.method(), head, host, path, is_permitted)) {
        broker::count(services_.counters.requests_refused[broker::RequestRefusal::foreign]);
        return reply;
    }
    const bool is_loopback = is_permitted ? permitted_host_is_loopback_ : is_loopback_host(host);
    if (!is_permitted && host.size() <= remembered_host_bytes_max) {
        permitted_host_ = host;
        permitted_host_is_loopback_ = is_loopback;
    }
    client_.is_local = principal_.is_local && !is_proxy_ && is_loopback && !is_forwarded(head);
    routed.route = router_(head.method(), path);
    Route& route = routed.route;
    if (!route.handler) {
        browser_rules_.permit_methods(head, route.refusal);
        return std::move(route.refusal);
    }
    if (for_monitoring_ && !route.for_monitoring) {
        broker::count(services_.counters.connections_refused[lacks_memory_ ? broker::ConnectionRefusal::resources
                                                                           : broker::ConnectionRefusal::limit]);
        HttpReply reply = lacks_memory_ ? memory_problem(broker::MemoryShortage::temporary)
                                        : busy_problem("limits.connections is reached, and all connections are busy");
        reply.closes = true;
        return reply;
    }
    HttpRequest& request = routed.request;
    request.method = head.method();
    request.path = path;
    request.name = route.name;
    request.part = route.part;
    request.headers = &head;
    request.query = std::move(routed.target.query);
    request.principal = &client_;
    request.address_use = &address_use();
    request.transport = transport_.get();
    request.replies = &replies_;
    request.turn_end = &turn_end_;
    return std::nullopt;
}

// Whether a body that could not be read was larger than a limit.
bool HttpSession::is_too_large(RequestArrival::End end) const {
    using End = RequestArrival::End;
    return end == End::share_too_small || end == End::never_any_memory ||
           (end == End::refused && reader_.refusal().status == 413);
}

asio::awaitable<HttpSession::Next> HttpSession::serve_route(const Route& route, HttpRequest& request) {
    if (route.body_bytes_max && !reader_.content_length() && !reader_.is_chunked()) {
        co_return co_await refuse(411, "a body with Content-Length or Transfer-Encoding: chunked is required");
    }
    if (route.reads_body) co_return co_await serve_body_reader(route, request);
    AddressBytes share(address_use());
    const std::size_t body_bytes_max = route.body_bytes_max.value_or(ignored_body_bytes_max);
    request.memory = services_.memory.charge(base::MemoryUse::bodies, 0);
    if (!reader_.is_complete()) {
        std::optional<RequestArrival::End> end = arrival_.read_arrived_body(body_bytes_max, share);
        if (!end) end = co_await arrival_.read_body(body_bytes_max, share, request.memory);
        if (*end != RequestArrival::End::complete) {
            if (route.publishes && is_too_large(*end))
                broker::count(services_.counters.documents_refused[broker::DocumentRefusal::too_large]);
            co_return co_await refuse(*end);
        }
    }
    request.body = std::move(reader_.body());
    body_bytes_ = request.body.size();
    clear_deadline();
    arrival_.finish();
    arrival_.count_time();
    HttpReply reply = co_await handle(route, request);
    // What was found for a user who has changed meanwhile, as in a request that waits for events, is not for them.
    const bool is_answer = request.method == http::verb::get || route.watched;  // not about something done
    if (client_.account->is_revoked && is_answer && !reply.takeover && !reply.has_taken)
        reply = unauthorized("the user or its rights have changed while the request was answered");
    if (reply.status < 300) begin_reply();  // if writing it fails now, a refusal would be wrong
    set_deadline(Clock::now() + services_.options.http.request_timeout);
    if (const auto next = write_reply_now(reply)) co_return *next;
    co_return co_await write_rest();
}

// The handler reads the body, which may last for days. Both write to the transport themselves, so what is collected
// goes first.
asio::awaitable<HttpSession::Next> HttpSession::serve_body_reader(const Route& route, HttpRequest& request) {
    struct Attached {
        RequestBody*& place;
        ~Attached() { place = nullptr; }
    };
    if (replies_.has_collected() && !co_await replies_.write_collected()) co_return Next::closed_by_peer;
    clear_deadline();
    if (!reader_.is_complete()) {
        const RequestArrival::End begun = arrival_.begin_body_parts();
        if (begun != RequestArrival::End::complete) co_return co_await refuse(begun);
    }
    arrival_.finish();
    RequestBody body({services_, *transport_, *this, arrival_, reader_, address_use(),
                      [this](HttpReply& reply) { return begin_streamed_reply(reply); }});
    const Attached attached{body_};
    body_ = &body;
    if (draining_) body.end(BodyStream::End::draining);
    if (client_.account->is_revoked) body.end(BodyStream::End::revoked);
    request.body_stream = &body;
    HttpReply reply = co_await route.handler(request);
    body_bytes_ = body.bytes();
    if (reply.is_written) {
        base::log_at(config::LogLevel::debug, [&] { log_reply(reply); });
        co_return Next::close;
    }
    if (reply.status < 300) begin_reply();
    set_deadline(Clock::now() + services_.options.http.request_timeout);
    if (const auto next = write_reply_now(reply)) co_return *next;
    co_return co_await write_rest();
}

// Its end is not known, nor is that of the body, so the connection ends with it.
std::string HttpSession::begin_streamed_reply(HttpReply& reply) {
    broker::count(services_.counters.replies[reply.status]);
    browser_rules_.permit(reader_.head(), reply);
    begin_reply();
    std::string head;
    append_reply_head(head, reply, {reader_.head().version(), false, {}});
    return head;
}

asio::awaitable<HttpReply> HttpSession::handle(const Route& route, HttpRequest& request) {
    const bool must_write_first = replies_.has_collected() && !route.prompt;
    return must_write_first ? handle_after_replies(route, request) : handle_now(route, request);
}

asio::awaitable<HttpReply> HttpSession::handle_now(const Route& route, HttpRequest& request) {
    return route.watched ? handle_watched(route, request) : route.handler(request);
}

// The handler may wait, or take events, which would be lost with the connection.
asio::awaitable<HttpReply> HttpSession::handle_after_replies(const Route& route, HttpRequest& request) {
    const bool written = co_await replies_.write_collected_for_handler();
    if (!written) co_return busy_problem("the connection ended while replies to earlier requests were written");
    co_return co_await handle_now(route, request);
}

asio::awaitable<HttpReply> HttpSession::handle_watched(const Route& route, HttpRequest& request) {
    struct Watching {
        std::shared_ptr<PeerWatch> watch;
        ~Watching() { watch->stop(); }
    };
    request.departure = std::make_shared<Departure>();
    const Watching watching{std::make_shared<PeerWatch>(*transport_, request.departure)};
    watching.watch->start();
    co_return co_await route.handler(request);
}

asio::awaitable<HttpSession::Next> HttpSession::refuse(unsigned status, std::string detail) {
    HttpReply reply = status_reply(status, std::move(detail));
    co_return co_await write_reply(reply);
}

asio::awaitable<HttpSession::Next> HttpSession::refuse(RequestArrival::End end) {
    if (end == RequestArrival::End::peer_left) co_return Next::closed_by_peer;
    HttpReply reply = arrival_refusal(end, services_, address_use(), reader_);
    co_return co_await write_reply(reply);
}

asio::awaitable<HttpSession::Next> HttpSession::refuse_failed(bool out_of_memory) {
    reader_.drop();  // the reply needs memory, too
    HttpReply reply = out_of_memory ? busy_problem("there was no memory for the request")
                                    : status_reply(500, "the request could not be completed");
    reply.closes = true;
    set_deadline(Clock::now() + services_.options.http.request_timeout);
    co_return co_await write_reply(reply);
}

void HttpSession::begin_reply() {
    arrival_.finish();
    replying_ = true;
}

// The reply must live until it is written. None: write_rest() must follow.
std::optional<HttpSession::Next> HttpSession::write_reply_now(HttpReply& reply) {
    if (replies_.is_writing()) return Next::closed_by_peer;  // those to earlier requests could not be written
    broker::count(services_.counters.replies[reply.status]);
    base::log_at(config::LogLevel::debug, [&] { log_reply(reply); });
    browser_rules_.permit(reader_.head(), reply);
    const bool is_head = reader_.head().method() == http::verb::head;
    if (reply.takeover && !is_head) {
        prepare_takeover(reply);
        return Next::takeover;
    }
    begin_reply();
    ReplyFraming framing{reader_.head().version(), false, {}};
    // If the connection stayed open, an unread body would be taken for the next request.
    framing.keep_alive = reader_.is_complete() && reader_.keep_alive() && !draining_ && !reply.closes;
    if (!reply.takeover) framing.content_length = reply.text().size();
    after_reply_ = framing.keep_alive ? Next::request : Next::close;
    const std::string_view text = is_head ? std::string_view() : reply.text();
    // Some clients send an empty line after a body.
    const bool may_collect = framing.keep_alive && reader_.input_bytes() > 2;
    return replies_.add(reply, framing, text, may_collect) ? std::optional(after_reply_) : std::nullopt;
}

void HttpSession::log_reply(const HttpReply& reply) const {
    const std::string client = client_text(peer_);
    const std::string_view proxy = client == peer_ ? std::string_view() : peer_;
    AnsweredRequest request{client, proxy, client_.is_local, client_.user, reader_.head(), body_bytes_, std::nullopt};
    if (head_read_) request.took = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - *head_read_);
    log_request(request, reply);
}

asio::awaitable<HttpSession::Next> HttpSession::write_rest() {
    const bool written = co_await replies_.write_rest();
    co_return written ? after_reply_ : Next::closed_by_peer;
}

asio::awaitable<HttpSession::Next> HttpSession::write_reply(HttpReply& reply) {
    if (const auto next = write_reply_now(reply)) co_return *next;
    co_return co_await write_rest();
}

void HttpSession::prepare_takeover(HttpReply& reply) {
    replies_.add_head(reply, {reader_.head().version(), false, {}});
    begin_reply();
    takeover_ = std::move(reply.takeover);
}

asio::awaitable<HttpSession::Next> HttpSession::run_takeover() {
    const bool chunked = reader_.head().version() >= 11;
    arrival_.drop();
    if (draining_) takeover_->finish();  // end_stream() may have been called during its setup
    if (!may_begin_stream()) takeover_->revoke();
    co_await takeover_->run(*transport_, *this, client_text(transport_->peer()), replies_.take(), chunked);
    takeover_.reset();
    co_return Next::close;
}

// Closing while the rest of a request arrives would reset the connection, and the peer might lose the reply.
asio::awaitable<void> HttpSession::linger() {
    if (!reader_.has_begun() || reader_.is_complete()) co_return;
    transport_->end_sending();
    set_deadline(Clock::now() + linger_timeout);
    arrival_.drop();
    do {
        co_await transport_->wait_to_read();
    } while (transport_->drop_arrived());
}

}  // namespace sluice::server
