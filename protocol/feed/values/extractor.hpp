// Reads the values of a fixed list of attributes out of events. The paths form a trie, so that one walk of the item's
// elements serves all of them and shared prefixes are walked once. Immutable; any thread. Copies share their data.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "gpu/api/event_batch.hpp"
#include "protocol/feed/model/event.hpp"
#include "protocol/feed/model/text_arena.hpp"
#include "protocol/feed/values/reading_budget.hpp"
#include "protocol/feed/values/value_groups.hpp"

namespace sluice::feed {

class Extractor {
public:
    // `names[i]` is the canonical text (to_string(Attribute)) of attribute id i. A name that is not an attribute has no
    // values.
    explicit Extractor(std::span<const std::string> names);
    ~Extractor();
    Extractor(const Extractor&);
    Extractor& operator=(const Extractor&);

    // An extractor for more names. `names` begins with this extractor's names.
    Extractor extended(std::span<const std::string> names) const;

    // Appends the event's values to the batch and closes the event. If the document has other items, values from
    // outside the item (../title, $feed_title) go into `groups`. Views point into the document, the arena and the
    // groups, all of which must live until the batch has been matched. Attributes over the budget of the reading become
    // unknown in the batch. Paths below the item are read first, then those below its parent and so on; at each level
    // first those without "*" before their end, then the others: together or, if that is too much, those with fewest
    // "*" and steps first. A path that leads to no node has no values and costs nothing, whatever its function.
    // Propagates what the reading's hook throws; the batch is then incomplete.
    void extract(const Event& event, engine::EventBatch& batch, TextArena& arena, ValueGroups& groups,
                 ReadingBudget& reading) const;
    void extract(const Event& event, engine::EventBatch& batch, TextArena& arena, ValueGroups& groups) const {
        ReadingBudget unlimited;
        extract(event, batch, arena, groups, unlimited);
    }

private:
    struct Plan;
    Extractor(std::span<const std::string> names, std::shared_ptr<Plan> plan);

    std::shared_ptr<const Plan> plan_;
};

}  // namespace sluice::feed
