// Decides whether a scope permits an event apart from any filter: before a subscriber is told that a filter of theirs
// could not be decided for the event, which tells that there is one. Belongs to one thread.
#pragma once

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

    // Whether it is certain that the scope permits the event. Of one without a document only the stream is known.
    bool permits(const auth::Scope& scope, const feed::Event& event);

    void rest();  // releases the scopes and documents of earlier calls

private:
    static constexpr std::size_t programs_max = 64;

    const engine::Program& program_of(const auth::Scope& scope);

    BatchMatcher matcher_;
    std::unordered_map<std::string, std::shared_ptr<const engine::Program>> programs_;  // by Subscription::key
};

}  // namespace sluice::broker
