// A filter on streams, ready for the engine, and the memory that it takes. Plain values; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "broker/auth/scope.hpp"
#include "gpu/api/predicate.hpp"

namespace sluice::broker {

// Estimated bytes that a subscription takes. Assumes that no other filter shares its conditions.
struct SubscriptionMemory {
    std::size_t while_added = 0;  // until it is in place: all of it, with what is compiled
    std::size_t kept = 0;         // afterwards, beside the engine; with what operators keep
    std::size_t engine = 0;       // afterwards, in the engine and in what reads its attributes
};

// Equal keys mean equal disjunctions.
struct Subscription {
    std::string key;
    engine::Disjunction disjunction;
    std::size_t operators = 0;          // number of distinct predicates that an operator computes
    std::vector<std::string> scanned;   // keys of the distinct scanned predicates
    std::vector<std::string> computed;  // computed_key() of the distinct predicates that an operator computes
    SubscriptionMemory memory = {};
};

std::size_t literals_of(const engine::Disjunction& disjunction);  // in all conjunctions together

// What the conjunctions of a filter become in the subscription: one for each name and prefix, and for each conjunction
// of the row filter that belongs to it.
struct SubscriptionSize {
    std::size_t conjunctions = 0, literals = 0;
};
SubscriptionSize size_of(const auth::Scope& scope, const engine::Disjunction& disjunction);

// `canonical` is the filter's canonical text, empty for every event that the scope permits.
std::string subscription_key(const auth::Scope& scope, const std::string& canonical);
Subscription make_subscription(const auth::Scope& scope, const std::string& canonical, engine::Disjunction disjunction);

// Estimated bytes that reading an attribute takes in the extractors of the current program and the one before it.
std::size_t reader_bytes(std::string_view attribute);

}  // namespace sluice::broker
