// Why connections, requests and documents are refused, and subscribers reset, as counted. The names are the values of
// the label `reason`; those of AuthenticationResult, of `result`.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace sluice::broker {

enum class ConnectionRefusal : std::uint8_t {
    limit,      // limits.connections
    address,    // limits.address_connections
    resources,  // no memory or file descriptor
    proxy,      // not from http.trusted_proxies, or without the PROXY header that its listener demands
};
inline constexpr std::array<std::string_view, 4> connection_refusals{"limit", "address", "resources", "proxy"};

enum class RequestRefusal : std::uint8_t {
    address_requests,  // limits.address_requests
    address_bytes,     // limits.address_bytes
    foreign,           // from another web page, or to another host
    timed_out,         // slower than http.request_timeout or http.body_rate
};
inline constexpr std::array<std::string_view, 4> request_refusals{"address_requests", "address_bytes", "foreign",
                                                                  "timed_out"};

// How credentials were accepted, or why they were not.
enum class AuthenticationResult : std::uint8_t {
    checked,     // a password that was checked
    remembered,  // one that had been a short while ago
    token,
    ticket,
    certificate,  // of the client
    wrong,
    expired,    // a token
    malformed,  // two of them, or of no scheme that is known
    slowed,     // not looked at: too many before were wrong
    busy,       // not looked at: too many passwords were being checked
};
inline constexpr std::array<std::string_view, 10> authentication_results{
    "checked", "remembered", "token", "ticket", "certificate", "wrong", "expired", "malformed", "slowed", "busy"};

enum class DocumentRefusal : std::uint8_t {
    invalid,
    content_type,  // not supported
    too_large,     // larger than a limit
    busy,          // too many others were being read or looked up
    memory,        // limits.memory
    queue_full,    // matcher.queue_events or queue_bytes, for publish.wait
    streams,       // limits.streams or limits.address_streams
    store_full,
    store_failed,
    stopping,
    abandoned,  // the client left while the document waited
};
inline constexpr std::array<std::string_view, 11> document_refusals{
    "invalid", "content_type", "too_large",    "busy",     "memory",   "queue_full",
    "streams", "store_full",   "store_failed", "stopping", "abandoned"};

// Why a subscriber is told that events are missing, by event: reset.
enum class ResetReason : std::uint8_t { epoch, retention, unknown, damaged };
inline constexpr std::array<std::string_view, 4> reset_reasons{"epoch", "retention", "unknown", "damaged"};

}  // namespace sluice::broker
