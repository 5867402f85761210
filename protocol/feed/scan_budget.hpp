// What scanned leaves may still take for the documents that they are asked of. pugixml can't be interrupted: what would
// take too long, by the estimate of filter/searches.hpp, is not begun, and what has taken long enough for one document
// is not asked again. Belongs to one thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <unordered_map>
#include <utility>

#include "protocol/feed/document.hpp"

namespace sluice {

class ScanBudget {
public:
    using Duration = std::chrono::nanoseconds;

    explicit ScanBudget(Duration time_max) : time_max_(time_max) {}

    // Whether a leaf may be evaluated once more; one that visits about n^searches nodes of a document of n.
    bool allows(const void* leaf, std::size_t searches, const DocumentPtr& document);
    void spend(const void* leaf, const DocumentPtr& document, Duration time);

    void end_batch();      // forgets documents that nobody holds any more
    void forget_leaves();  // whatever they have taken: their addresses may come again

private:
    using Key = std::pair<const void*, const Document*>;  // leaf, document
    struct KeyHash {
        std::size_t operator()(const Key& key) const {
            return std::hash<const void*>{}(key.first) * 31 + std::hash<const void*>{}(key.second);
        }
    };
    struct Spent {
        std::weak_ptr<const Document> document;  // another one may have its address after it
        Duration time{0};
    };

    double nodes(const Document& document);

    const Duration time_max_;
    std::unordered_map<Key, Spent, KeyHash> spent_;
    std::unordered_map<const Document*, double> nodes_;  // of the current batch
};

}  // namespace sluice
