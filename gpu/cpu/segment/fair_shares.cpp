#include "gpu/cpu/segment/fair_shares.hpp"

namespace sluice::cpu {

void FairShares::begin(std::size_t slots) {
    of_slot_.assign(slots, {});
    owners_.clear();
    index_.clear();
}

void FairShares::find(std::uint32_t slot, const OwnersOf& owners_of) {
    Owners& of_slot = of_slot_[slot];
    if (of_slot.count != never) return;
    found_.clear();
    owners_of(slot, found_);
    of_slot = {static_cast<std::uint32_t>(owners_.size()), static_cast<std::uint32_t>(found_.size())};
    for (const std::uint64_t owner : found_)
        owners_.push_back(index_.try_emplace(owner, static_cast<std::uint32_t>(index_.size())).first->second);
}

}  // namespace sluice::cpu
