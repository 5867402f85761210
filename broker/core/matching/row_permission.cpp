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
    return !matcher_.match(program_of(scope), {&event, 1}).empty();
}

const engine::Program& RowPermission::program_of(const auth::Scope& scope) {
    Subscription rows = make_subscription(scope, "", {{}, {engine::Conjunction{}}});
    if (programs_.size() >= programs_max && !programs_.contains(rows.key)) programs_.clear();
    std::shared_ptr<const engine::Program>& program = programs_[std::move(rows.key)];
    if (program == nullptr) {
        const auto set = engine::make_subscription_set(engine::Backend::cpu);
        set->add(rows.disjunction);
        program = set->compile();
    }
    return *program;
}

void RowPermission::rest() {
    programs_.clear();
    matcher_.rest();
}

}  // namespace sluice::broker
