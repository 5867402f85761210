#include "broker/server/http/request_arrival.hpp"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/core/string.hpp>
#include <new>
#include <span>
#include <string_view>

#include "broker/core/counters.hpp"
#include "broker/server/http/reply_writer.hpp"
#include "config/options.hpp"

namespace sluice::server {

namespace asio = boost::asio;

namespace {

constexpr std::size_t long_request_bytes = 8u << 10;  // after this much of a request, its reads take turns
constexpr std::chrono::seconds body_grace{5};         // before http.body_rate applies

}  // namespace

Connection::Clock::time_point slow_body_deadline(Connection::Clock::time_point begun, std::size_t received,
                                                 std::size_t rate) {
    if (rate == 0) return Connection::Clock::time_point::max();
    return begun + body_grace + std::chrono::microseconds(received * 1'000'000 / rate);
}

RequestArrival::RequestArrival(ConnectionServices& services, Transport& transport, Connection& connection,
                               RequestReader& reader, ReplyWriter& replies, std::size_t short_head_bytes)
    : services_(services),
      transport_(transport),
      connection_(connection),
      reader_(reader),
      replies_(replies),
      short_head_bytes_(short_head_bytes) {}

void RequestArrival::next() {
    reader_.next();
    charge_input(input_memory(reader_.input_capacity(), 0));
    phase_ = Phase::idle;
    late_ = false;
    deadline_ = {};
    is_timed_ = broker::StageTimes::is_due(broker::Stage::read);
}

void RequestArrival::count_time() {
    if (is_timed_) services_.counters.stages.add(broker::Stage::read, Clock::now() - arrived_);
}

// A write that is cancelled would leave a part of a reply, so a late one ends with the connection.
bool RequestArrival::give_up() {
    if (phase_ != Phase::reading || late_ || replies_.is_writing()) return false;
    late_ = true;
    transport_.cancel();
    return true;
}

bool RequestArrival::is_idle() const { return phase_ == Phase::idle && !reader_.has_begun() && !replies_.is_writing(); }

void RequestArrival::drain() {
    draining_ = true;
    if (is_idle()) transport_.cancel();
}

void RequestArrival::drop() {
    reader_.drop();
    input_memory_.release();
}

// Without memory for much at once, small pieces will do.
asio::mutable_buffer RequestArrival::prepare_read() {
    if (reader_.is_behind() && charge_wide_read()) {
        try {
            return reader_.prepare(true);
        } catch (const std::bad_alloc&) {
            charge_input(input_memory(reader_.input_capacity(), reader_.head_bytes()));
        }
    }
    return reader_.prepare();
}

// Returns false if reading has ended; see end_early().
asio::awaitable<bool> RequestArrival::read_more() {
    if (std::max(reader_.input_bytes(), reader_.body().size()) > long_request_bytes) {
        co_await transport_.wait_to_read();
        if (late_) co_return false;
    }
    const asio::mutable_buffer room = prepare_read();
    const std::size_t n = co_await transport_.read_some(room);
    reader_.commit(n);
    if (is_timed_) arrived_ = Clock::now();
    co_return n != 0 && !late_;
}

RequestArrival::End RequestArrival::end_head(RequestReader::Step step) {
    connection_.set_busy();
    has_served_ = true;
    phase_ = Phase::reading;
    if (step != RequestReader::Step::done) return End::refused;
    if (reader_.head_bytes() > short_head_bytes_) charge_whole_head();
    return End::complete;
}

std::optional<RequestArrival::End> RequestArrival::read_arrived_head() {
    if (is_timed_) arrived_ = Clock::now();
    const RequestReader::Step step = reader_.read_head();
    return step == RequestReader::Step::more ? std::nullopt : std::optional(end_head(step));
}

// Most requests arrive in one read and need no request deadline.
asio::awaitable<RequestArrival::End> RequestArrival::read_head() {
    using Step = RequestReader::Step;
    Step step = reader_.read_head();
    if (step == Step::more) {
        if (replies_.has_collected() && !co_await replies_.write_collected()) co_return End::peer_left;
        if (!reader_.has_begun()) {
            if (draining_) co_return End::peer_left;
            be_idle();
        }
        const Clock::time_point now = Clock::now();
        connection_.set_deadline(now + services_.options.http.idle_timeout);
        connection_.set_waiting(has_served_ ? now + familiar_lead : now);
    }
    while (step == Step::more) {
        if (phase_ == Phase::idle && reader_.has_begun()) {
            phase_ = Phase::reading;
            deadline_ = Clock::now() + services_.options.http.request_timeout;
            connection_.set_deadline(deadline_);
        }
        if (!co_await read_more()) co_return end_early();
        step = reader_.read_head();
        const std::size_t bytes = input_memory(reader_.input_capacity(), reader_.head_bytes());
        if (step == Step::more && !charge_input(bytes)) co_return End::no_memory;
    }
    co_return end_head(step);
}

std::optional<RequestArrival::End> RequestArrival::read_arrived_body(std::size_t body_bytes_max, AddressBytes& share) {
    const std::uint64_t announced = reader_.content_length().value_or(0);
    if (announced == 0 || announced > body_bytes_max || announced > reader_.input_bytes()) return std::nullopt;
    if (!share.grow(announced)) return end_without_share(share, announced);
    if (has_unknown_expectation()) return End::unknown_expectation;
    return reader_.read_body(body_bytes_max) == RequestReader::Step::done ? End::complete : End::refused;
}

asio::awaitable<RequestArrival::End> RequestArrival::read_body(std::size_t body_bytes_max, AddressBytes& share,
                                                               base::MemoryCharge& memory) {
    using Step = RequestReader::Step;
    const std::uint64_t announced = reader_.content_length().value_or(0);
    if (announced <= body_bytes_max) {  // otherwise the reader refuses it
        if (!share.grow(announced)) co_return end_without_share(share, announced);
        if (has_unknown_expectation()) co_return End::unknown_expectation;
        if (!co_await go_on()) co_return End::peer_left;
    }
    Step step = reader_.read_body(body_bytes_max);
    if (step == Step::more && replies_.has_collected() && !co_await replies_.write_collected())
        co_return End::peer_left;
    Clock::time_point begun;
    while (step == Step::more) {
        if (begun == Clock::time_point()) begun = Clock::now();
        if (deadline_ == Clock::time_point()) deadline_ = begun + services_.options.http.request_timeout;
        const std::size_t received = reader_.body().size();
        if (!share.grow(received)) co_return end_without_share(share, received);
        if (!charge_body(memory)) co_return end_without_memory();
        connection_.set_deadline(
            std::min(deadline_, slow_body_deadline(begun, received, services_.options.http.body_rate)));
        if (!co_await read_more()) co_return end_early();
        step = reader_.read_body(body_bytes_max);
    }
    co_return step == Step::done ? End::complete : End::refused;
}

RequestArrival::End RequestArrival::begin_body_parts() {
    charge_input(input_memory(0, reader_.head_bytes()));
    return has_unknown_expectation() ? End::unknown_expectation : End::complete;
}

// Its deadline is for the reading alone: the time that its handler takes is not the client's.
asio::awaitable<std::optional<RequestArrival::End>> RequestArrival::read_body_part() {
    using Step = RequestReader::Step;
    if (late_) co_return End::late;
    Step step = reader_.read_body_part();
    if (step == Step::more && reader_.body().empty()) {
        phase_ = Phase::reading;
        const bool has_come = co_await read_more();
        phase_ = Phase::done;
        if (!has_come) co_return end_early();
        step = reader_.read_body_part();
    }
    if (step == Step::more) co_return std::nullopt;
    co_return step == Step::done ? End::complete : End::refused;
}

// HTTP/1.0 has no expectations: RFC 9110, 10.1.1.
bool RequestArrival::has_unknown_expectation() const {
    const std::string_view expected = field_value(reader_.head(), boost::beast::http::field::expect);
    return !expected.empty() && reader_.head().version() >= 11 && !boost::beast::iequals(expected, "100-continue");
}

asio::awaitable<bool> RequestArrival::go_on() {
    const std::string_view expected = field_value(reader_.head(), boost::beast::http::field::expect);
    if (expected.empty() || reader_.head().version() < 11 || reader_.input_bytes() != 0) co_return true;
    if (replies_.has_collected() && !co_await replies_.write_collected()) co_return false;
    constexpr std::string_view text = "HTTP/1.1 100 Continue\r\n\r\n";
    const asio::const_buffer buffer = asio::buffer(text);
    co_return co_await transport_.write(std::span(&buffer, 1));
}

RequestArrival::End RequestArrival::end_without_share(const AddressBytes& share, std::uint64_t bytes) {
    return bytes > share.bytes_max() ? End::share_too_small : End::share_taken;
}

// The connection's own charge covers a short head and the room for it. A long head is charged twice for what it is
// parsed to, whose memory grows by half.
std::size_t RequestArrival::input_memory(std::size_t capacity, std::size_t head) const {
    return (capacity > short_head_bytes_ ? capacity : 0) + (head > short_head_bytes_ ? 2 * head : 0);
}

bool RequestArrival::charge_input(std::size_t bytes) {
    if (bytes == input_memory_.bytes()) return true;
    if (input_memory_) return input_memory_.resize(bytes);
    input_memory_ = services_.memory.charge(base::MemoryUse::bodies, bytes);
    return static_cast<bool>(input_memory_);
}

// Of a head that may have come at once, in the room for a pipeline.
void RequestArrival::charge_whole_head() {
    const std::size_t bytes = input_memory(reader_.input_capacity(), reader_.head_bytes());
    if (!input_memory_) input_memory_ = services_.memory.force_charge(base::MemoryUse::bodies, 0);
    input_memory_.force_resize(bytes);
}

// Returns false if there is no memory: the pipeline is then read in small pieces. It asks for a byte more, so that
// the charge does not count as little (memory_budget.hpp): small requests go before.
bool RequestArrival::charge_wide_read() {
    const std::size_t capacity = reader_.input_bytes() + RequestReader::read_bytes_max;
    const std::size_t bytes = input_memory(capacity, reader_.head_bytes());
    return services_.memory.has_room(base::MemoryUse::bodies, bytes + 1) && charge_input(bytes);
}

// Frees what only a pipeline needs.
void RequestArrival::be_idle() {
    reader_.narrow();
    charge_input(input_memory(reader_.input_capacity(), 0));
}

// Charges for what has arrived and for what the next read may add. Bytes that are only announced take no memory yet.
bool RequestArrival::charge_body(base::MemoryCharge& memory) { return memory && memory.resize(body_memory(0)); }

// `least`: the size of the body, or more than has arrived of it.
std::size_t RequestArrival::body_memory(std::uint64_t least) const {
    constexpr std::size_t next_bytes = 2 * RequestReader::read_bytes_max;
    return std::max<std::size_t>(reader_.body().capacity(), least) + next_bytes;
}

// An announced body is judged by its whole length. The connection's charge is twice that of a short head.
RequestArrival::End RequestArrival::end_without_memory() const {
    const std::size_t bytes = body_memory(reader_.content_length().value_or(0));
    const std::size_t held = 2 * short_head_bytes_ + input_memory_.bytes();
    return services_.memory.could_fit(base::MemoryUse::bodies, bytes, held) ? End::no_memory : End::never_any_memory;
}

}  // namespace sluice::server
