// Evaluates the scanned leaves of filters with pugixml. Keeps the compiled queries, and for leaves that select elements
// the node-set of each document of the current batch. Belongs to one matching thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "protocol/feed/event.hpp"

namespace sluice {

// The key of a scanned predicate (Predicate::attribute with Operator::scanned) says which of the two forms of a filter
// its expression has: "test " + an expression, true when its boolean value with the event's element as context node is
// true; or "select " + a location path, true when the event's element is in its node-set. Variables are node-sets of
// one text element per value, without a parent.
class ScannedLeaves {
public:
    // What a leaf may take for one document, so that a filter can't hold the thread for long.
    explicit ScannedLeaves(std::chrono::nanoseconds time_max = std::chrono::nanoseconds::max());
    ~ScannedLeaves();
    ScannedLeaves(ScannedLeaves&&) noexcept;
    ScannedLeaves& operator=(ScannedLeaves&&) noexcept;

    // Makes index i stand for keys[i]. Keys that stay are not compiled again.
    void assign(std::span<const std::string> keys);
    // No value: that would take too long.
    std::optional<bool> holds(std::size_t leaf, const Event& event);
    // What the last call took, as whoever has a clock has measured it.
    void took(std::size_t leaf, const Event& event, std::chrono::nanoseconds time);
    void end_batch();  // forgets what it knows of the batch's documents

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace sluice
