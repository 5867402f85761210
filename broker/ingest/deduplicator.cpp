#include "broker/ingest/deduplicator.hpp"

namespace sluice {

Deduplicator::Verdict Deduplicator::see(const ItemKey& key) {
    if (const auto found = by_identity_.find(key.identity); found != by_identity_.end()) {
        const std::uint32_t i = found->second;
        unlink(i);
        link_newest(i);
        if (entries_[i].key.content == key.content) return Verdict::unchanged;
        entries_[i].key.content = key.content;
        return Verdict::updated;
    }
    auto i = static_cast<std::uint32_t>(entries_.size());
    if (entries_.size() < entries_max_) {
        entries_.emplace_back();
    } else {
        i = oldest_;
        unlink(i);
        by_identity_.erase(entries_[i].key.identity);
    }
    entries_[i].key = key;
    link_newest(i);
    by_identity_.emplace(key.identity, i);
    return Verdict::added;
}

void Deduplicator::unlink(std::uint32_t i) {
    const auto [key, newer, older] = entries_[i];
    (newer == none ? newest_ : entries_[newer].older) = older;
    (older == none ? oldest_ : entries_[older].newer) = newer;
}

void Deduplicator::link_newest(std::uint32_t i) {
    entries_[i].newer = none;
    entries_[i].older = newest_;
    (newest_ == none ? oldest_ : entries_[newest_].newer) = i;
    newest_ = i;
}

}  // namespace sluice
