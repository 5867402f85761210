// Any bytes as an acknowledgement: refused with a reason, or within its limits.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "broker/server/subscriptions/ack_request.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using sluice::server::AckRequest;
    AckRequest request;
    const auto refusal =
        sluice::server::read_ack_request({reinterpret_cast<const char*>(data), size}, "epoch", request);
    if (refusal) {
        if (refusal->status != 400 || refusal->body.empty()) std::abort();
        return 0;
    }
    const auto& what = request.what;
    if (what.ids.size() + what.rejected.size() + what.extended.size() > AckRequest::entries_max) std::abort();
    if (request.other_epochs.size() > AckRequest::entries_max + 1) std::abort();
    for (const auto& id : what.ids)
        if (id == 0) std::abort();
    for (const auto& rejection : what.rejected)
        if (rejection.id == 0 || rejection.delay.count() < 0 ||
            rejection.reason.size() > sluice::broker::Ledger::reason_bytes_max)
            std::abort();
    for (const auto& extension : what.extended)
        if (extension.id == 0 || (extension.by && extension.by->count() < 0)) std::abort();
    return 0;
}
