#include "broker/server/http/busy_problems.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace sluice::server {

HttpReply busy_problem(std::string detail) {
    HttpReply reply = status_reply(503, std::move(detail));
    reply.headers.emplace_back("Retry-After", "1");
    return reply;
}

HttpReply share_problem(std::string detail, std::chrono::nanoseconds wait) {
    HttpReply reply = status_reply(429, std::move(detail));
    const auto seconds = std::max<std::int64_t>(1, std::chrono::ceil<std::chrono::seconds>(wait).count());
    reply.headers.emplace_back("Retry-After", std::to_string(seconds));
    return reply;
}

HttpReply connections_problem() {
    return share_problem("the address has reached limits.address_connections", std::chrono::seconds(1));
}

HttpReply memory_problem(broker::MemoryShortage shortage) {
    if (shortage == broker::MemoryShortage::permanent)
        return status_reply(413, "this needs more memory than limits.memory leaves for it");
    return busy_problem("the memory that limits.memory allows is in use");
}

}  // namespace sluice::server
