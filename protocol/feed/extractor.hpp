// Reads the values of a fixed list of attributes out of events. The paths are kept as a trie, so that one walk of the
// item's elements serves them all and shared prefixes are shared work. Immutable; any thread.
#pragma once

#include <deque>
#include <memory>
#include <span>
#include <string>

#include "gpu/event_batch.hpp"
#include "protocol/feed/event.hpp"

namespace sluice {

// Owns the texts that are not simply a piece of the document. Addresses are stable until clear().
class TextArena {
public:
    std::string_view keep(std::string text) { return texts_.emplace_back(std::move(text)); }
    void clear() { texts_.clear(); }

private:
    std::deque<std::string> texts_;
};

class Extractor {
public:
    // `names[i]` is the canonical text (to_string(Attribute)) of attribute id i; a name that is none has no values.
    explicit Extractor(std::span<const std::string> names);
    ~Extractor();
    Extractor(Extractor&&) noexcept;
    Extractor& operator=(Extractor&&) noexcept;

    // Appends the event's values to the batch and closes the event. Views point into the document or the arena.
    void extract(const Event& event, EventBatch& batch, TextArena& arena) const;

private:
    struct Plan;
    std::unique_ptr<const Plan> plan_;
};

}  // namespace sluice
