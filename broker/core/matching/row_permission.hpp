// Decides whether a scope permits an event apart from any filter: before a subscriber is told that a filter of theirs
// could not be decided for the event, which tells that there is one. Belongs to one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

#include "broker/auth/scope.hpp"
#include "broker/match/batch_matcher.hpp"
#include "gpu/api/matcher.hpp"
#include "protocol/feed/model/event.hpp"

namespace sluice::broker {

class RowPermission {
public:
    // `pause` as in BatchMatcher. No budget of an owner applies: others' filters can't keep a row filter from being
    // decided.
    explicit RowPermission(const BatchLimits& limits, std::function<void(double ns)> pause = {});

    // Whether it is certain that the scope permits the event. Of one without a document only the stream is known. Of an
    // event with the same id as one before, the answer is the same.
    bool permits(const auth::Scope& scope, const feed::Event& event);

    void rest();  // releases the scopes and documents of earlier calls

private:
    static constexpr std::size_t kept_max = 64, answers_max = 256;

    struct Rows {
        std::shared_ptr<const engine::Program> program;
        std::unordered_map<std::uint64_t, bool> answers;  // by event, which many filters may leave undecided
    };
    Rows& rows_of(const auth::Scope& scope);

    BatchMatcher matcher_;
    std::unordered_map<std::string, Rows> kept_;  // by Subscription::key
};

}  // namespace sluice::broker
