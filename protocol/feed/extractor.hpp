// Reads the values of a fixed list of attributes out of events. The paths are kept as a trie, so that one walk of the
// item's elements serves them all and shared prefixes are shared work. Immutable; any thread.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "gpu/event_batch.hpp"
#include "protocol/feed/event.hpp"
#include "protocol/feed/text_arena.hpp"

namespace sluice {

class Extractor {
public:
    // `names[i]` is the canonical text (to_string(Attribute)) of attribute id i; a name that is none has no values.
    explicit Extractor(std::span<const std::string> names);
    ~Extractor();
    Extractor(Extractor&&) noexcept;
    Extractor& operator=(Extractor&&) noexcept;

    // Appends the event's values to the batch and closes the event. Views point into the document or the arena; both
    // must live until the batch has been matched and the arena cleared. What lies outside the item (../title) is read
    // once for all events that share it between two clear()s of the arena.
    void extract(const Event& event, EventBatch& batch, TextArena& arena) const;

private:
    struct Plan;
    std::shared_ptr<const Plan> plan_;
};

}  // namespace sluice
