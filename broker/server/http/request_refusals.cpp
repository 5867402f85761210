#include "broker/server/http/request_refusals.hpp"

#include <chrono>
#include <string>

#include "broker/core/counters.hpp"
#include "broker/server/http/busy_problems.hpp"
#include "config/options.hpp"

namespace sluice::server {

namespace {

HttpReply late_refusal(ConnectionServices& services) {
    broker::count(services.counters.requests_refused[broker::RequestRefusal::timed_out]);
    return status_reply(
        408, "the request took longer than http.request_timeout, or its body came slower than http.body_rate");
}

HttpReply share_refusal(bool too_small, ConnectionServices& services, const AddressUse& address) {
    broker::count(services.counters.requests_refused[broker::RequestRefusal::address_bytes]);
    const std::string limit = "limits.address_bytes, " + std::to_string(address.bytes_max());
    if (too_small) return status_reply(413, "the body is larger than " + limit);
    return share_problem("more bytes of requests are under way than " + limit, std::chrono::seconds(1));
}

HttpReply reader_refusal(const RequestReader& reader) {
    HttpReply reply = status_reply(reader.refusal().status, reader.refusal().reason);
    reply.closes = true;
    return reply;
}

}  // namespace

HttpReply arrival_refusal(RequestArrival::End end, ConnectionServices& services, const AddressUse& address,
                          const RequestReader& reader) {
    using End = RequestArrival::End;
    switch (end) {
        case End::late:
            return late_refusal(services);
        case End::no_memory:
            return memory_problem(broker::MemoryShortage::temporary);
        case End::never_any_memory:
            return memory_problem(broker::MemoryShortage::permanent);
        case End::share_taken:
        case End::share_too_small:
            return share_refusal(end == End::share_too_small, services, address);
        case End::unknown_expectation:
            return status_reply(417, "unknown expectation");
        case End::refused:
        case End::complete:
        case End::peer_left:
            break;
    }
    return reader_refusal(reader);
}

HttpReply place_refusal(ConnectionServices& services) {
    broker::count(services.counters.connections_refused[broker::ConnectionRefusal::address]);
    return connections_problem();
}

std::optional<HttpReply> rate_refusal(ConnectionServices& services, AddressUse& address) {
    if (!address.limits_requests()) return std::nullopt;
    const auto wait = address.take_request(AddressUse::Clock::now());
    if (!wait) return std::nullopt;
    return rate_problem(services, *wait);
}

HttpReply rate_problem(ConnectionServices& services, std::chrono::nanoseconds wait) {
    broker::count(services.counters.requests_refused[broker::RequestRefusal::address_requests]);
    return share_problem("more requests a second than limits.address_requests, " +
                             std::to_string(services.options.limits.address_requests),
                         wait);
}

}  // namespace sluice::server
