#include "broker/store/last_ids.hpp"

#include <algorithm>
#include <utility>

namespace sluice::store {

void LastIds::remember(std::string_view name, std::uint64_t last_id) {
    if (last_id == 0) return;
    if (newer_.size() >= names_max_) {
        for (const auto& [digest, id] : older_) highest_ = std::max(highest_, id);
        older_.clear();
        older_.swap(newer_);
    }
    newer_[text::digest(name)] = last_id;
}

std::uint64_t LastIds::last_id(std::string_view name) const {
    const text::Digest key = text::digest(name);
    // A stream that was dropped twice is in both.
    if (const auto found = newer_.find(key); found != newer_.end()) return found->second;
    if (const auto found = older_.find(key); found != older_.end()) return found->second;
    return highest_;
}

}  // namespace sluice::store
