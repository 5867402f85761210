// Any bytes as the stored ledger of a durable subscription: they are refused, or are those that what was decoded is
// encoded to, and then all that is outstanding is delivered again.
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <string_view>

#include "broker/core/subscriptions/ledger.hpp"

namespace {

using sluice::broker::Ledger;

void require(bool holds, const char* what) {
    if (holds) return;
    std::cerr << "does not hold: " << what << '\n';
    std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    std::optional<Ledger> ledger = Ledger::decode({}, bytes);
    if (!ledger) return 0;
    require(ledger->encode() == bytes, "what was decoded is encoded as it was");
    const std::size_t outstanding = ledger->outstanding();
    require(outstanding < size, "an id takes at least two bytes");
    require(ledger->cursor() < ledger->next(), "the cursor is before what is read next");
    std::uint64_t before = 0;
    const auto dues = ledger->take_due({}, std::numeric_limits<std::size_t>::max());
    require(dues.size() == outstanding, "all that is outstanding is due");
    for (const Ledger::Due& due : dues) {
        require(due.id > before, "ids ascend");
        before = due.id;
        require(due.deliveries > 1, "it has been delivered before");
        require(ledger->deliver(due.id, 1, {}) == 0, "and is not delivered for the first time");
        require(ledger->deliver_again(due.id, 1, {}) == due.deliveries, "but again");
    }
    require(ledger->acknowledge_up_to(before) == outstanding, "and acknowledged");
    return 0;
}
