#include "broker/core/matching/row_permission.hpp"

#include <utility>

#include "broker/core/matching/subscription.hpp"

namespace sluice::broker {

namespace {

BatchLimits without_owners(BatchLimits limits) {
    limits.owners = limits.computed_owners = nullptr;
    return limits;
}

}  // namespace

RowPermission::RowPermission(const BatchLimits& limits, std::function<void(double ns)> pause)
    : matcher_(without_owners(limits), std::move(pause)) {}

bool RowPermission::permits(const auth::Scope& scope, const feed::Event& event) {
    if (scope.permits_all_of(*event.stream)) return true;
    const bool may_be = !scope.is_empty() && scope.streams().matches(*event.stream);
    if (!may_be || event.document == nullptr) return false;
    Rows& rows = rows_of(scope);
    if (const auto known = rows.answers.find(event.id); known != rows.answers.end()) return known->second;
    const bool is_permitted = !matcher_.match(*rows.program, {&event, 1}).empty();
    if (rows.answers.size() == answers_max) rows.answers.clear();
    rows.answers.emplace(event.id, is_permitted);
    return is_permitted;
}

RowPermission::Rows& RowPermission::rows_of(const auth::Scope& scope) {
    std::string key = subscription_key(scope, "");
    if (kept_.size() >= kept_max && !kept_.contains(key)) kept_.clear();
    Rows& rows = kept_[std::move(key)];
    if (rows.program == nullptr) {
        const auto set = engine::make_subscription_set(engine::Backend::cpu);
        set->add(make_subscription(scope, "", {{}, {engine::Conjunction{}}}).disjunction);
        rows.program = set->compile();
    }
    return rows;
}

void RowPermission::rest() {
    kept_.clear();
    matcher_.rest();
}

}  // namespace sluice::broker
