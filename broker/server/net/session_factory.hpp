// What the listener needs of a protocol: a session for each connection that it admits, and an answer for each that it
// rejects. One object serves all connections of all listeners; only the listeners' thread calls it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "broker/base/memory/memory_budget.hpp"
#include "broker/server/net/address_table.hpp"
#include "broker/server/net/counted_place.hpp"
#include "broker/server/net/principal.hpp"
#include "broker/server/net/transport.hpp"

namespace sluice::server {

// What an admitted connection holds while it is open.
struct Admission {
    Principal principal;
    AddressPlace place;
    bool is_proxy;              // trusted to name the clients of its requests
    bool is_relayed;            // a proxy has named the client, with a PROXY header
    base::MemoryCharge memory;  // connection_memory_bytes, of MemoryUse::connections
    // If set, the connection is beyond limits.connections or, if `lacks_memory`, there was no memory for it; it serves
    // only monitoring.
    std::optional<CountedPlace> for_monitoring{};
    bool lacks_memory = false;
    std::optional<CountedPlace> on_thread{};  // among the connections of its I/O thread
};

// Why a connection is not admitted.
enum class Rejection : std::uint8_t { address_connections, connections, descriptors, memory };

class SessionFactory {
public:
    SessionFactory() = default;
    SessionFactory(const SessionFactory&) = delete;
    SessionFactory& operator=(const SessionFactory&) = delete;
    virtual ~SessionFactory() = default;

    // The session runs on the transport's executor, and keeps itself alive until it ends.
    virtual void start_session(std::unique_ptr<Transport> transport, Admission admission) = 0;
    // What a rejected client receives before its connection is closed: few bytes, which the kernel accepts at once.
    virtual std::string rejection_text(Rejection reason) const = 0;
};

}  // namespace sluice::server
