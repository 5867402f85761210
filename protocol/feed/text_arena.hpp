// Owns the texts of a batch that are not simply a piece of a document, and the values that its events have in common.
// Belongs to whoever fills the batch and lives until the batch has been matched; one thread at a time.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpu/event_batch.hpp"

namespace sluice {

class TextArena {
public:
    // The address is stable until clear().
    std::string_view keep(std::string text) { return texts_.emplace_back(std::move(text)); }

    // Values read outside the item, such as those of ../title: `read(values)` is called for the first item below
    // `node`, the others get the same. One node is remembered for each `place`, and `plan` says whose values they are.
    template <class Read>
    std::span<const Value> shared(std::size_t place, std::shared_ptr<const void> plan, const void* node,
                                  const Read& read) {
        if (shared_.size() <= place) shared_.resize(place + 1);
        Shared& shared = shared_[place];
        if (shared.plan != plan || shared.node != node) {
            shared = {std::move(plan), node, {}};
            read(shared.values);
        }
        return shared.values;
    }

    void clear() {
        texts_.clear();
        shared_.clear();
    }

private:
    struct Shared {
        std::shared_ptr<const void> plan;
        const void* node = nullptr;
        std::vector<Value> values;
    };

    std::deque<std::string> texts_;
    std::vector<Shared> shared_;
};

}  // namespace sluice
