// The values of a batch's events by the name of their attribute, for annotations: as they were read to match the batch
// or, where they are not there any more, read again. Belongs to the thread that matched the batch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>

#include "gpu/api/matcher.hpp"
#include "protocol/feed/model/event.hpp"

namespace sluice::broker {

// Finds the numbers of attributes in a dictionary, which has no index. Remembers how far it has searched for each name:
// a dictionary only grows until its next epoch. Belongs to one thread.
class AttributeNumbers {
public:
    std::optional<std::uint32_t> find(const engine::Dictionary& dictionary, const std::string& name);

private:
    static constexpr std::size_t names_max = 4'096;

    std::uint64_t epoch_ = 0;
    std::unordered_map<std::string, std::size_t> searched_;  // by name: it is none of so many first names
};

// The values that matching has read: a view of a BatchMatcher, until it matches again.
struct MatchedValues {
    std::span<const feed::Event> events = {};  // whose values they are; empty: they are not there any more
    const engine::EventBatch* batch = nullptr;
    const engine::Dictionary* attributes = nullptr;
    AttributeNumbers* numbers = nullptr;
};

class BatchValues {
public:
    explicit BatchValues(MatchedValues matched = {});
    ~BatchValues();
    BatchValues(BatchValues&&) noexcept;
    BatchValues& operator=(BatchValues&&) noexcept;

    // The attribute's values of event `e` of the batch: the event's own, with 0 as the group's id, or all of one group.
    // None if reading them exceeds the budget. Valid until the next call.
    engine::ValueGroup of(const feed::Event& event, std::size_t e, const std::string& attribute);

private:
    struct Again;

    MatchedValues matched_;
    std::unique_ptr<Again> again_;  // null: nothing has been read again
};

}  // namespace sluice::broker
