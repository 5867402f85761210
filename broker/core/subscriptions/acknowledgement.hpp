// What consumers of a durable subscription say of its deliveries, and what becomes of that. Plain values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "broker/core/subscriptions/ledger.hpp"

namespace sluice::broker {

struct Acknowledgement {
    std::vector<std::uint64_t> ids{};
    std::optional<std::uint64_t> up_to{};  // and everything delivered up to this id
    struct Rejection {
        std::uint64_t id = 0;
        std::uint32_t deliveries = 0;  // 0: whichever it is
        Ledger::Duration delay{};
        std::string reason{};
    };
    std::vector<Rejection> rejected{};
    struct Extension {
        std::uint64_t id = 0;
        std::uint32_t deliveries = 0;
        std::optional<Ledger::Duration> by{};  // none: ack_wait
    };
    std::vector<Extension> extended{};
};

struct Acknowledged {
    std::size_t acknowledged = 0, rejected = 0, extended = 0;
    std::vector<std::uint64_t> not_known{};  // ids that are not delivered, or done already
    std::uint64_t cursor = 0;
};

}  // namespace sluice::broker
