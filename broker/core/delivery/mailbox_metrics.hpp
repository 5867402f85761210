// The metrics of what waits for subscribers, in their queues or in the log.
#pragma once

#include <cstdint>
#include <functional>

#include "broker/base/metrics.hpp"
#include "broker/core/delivery/mailboxes.hpp"

namespace sluice::broker {

// Call once. `last_id`: of the log. The metrics must not be read after the mailboxes are destroyed.
void register_mailbox_metrics(base::MetricRegistry& metrics, Mailboxes& mailboxes,
                              std::function<std::uint64_t()> last_id);

}  // namespace sluice::broker
