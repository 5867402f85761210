// Makes the families of all kinds. Any thread.
#pragma once

#include <memory>
#include <vector>

#include "gpu/operators/device_family.hpp"
#include "gpu/operators/family.hpp"

namespace sluice::operators {

// Requires at least one predicate; all must be of this family and valid (invalid_reason() is empty). If `devices`
// is not null, a batch's pairs are evaluated there when that costs less.
std::unique_ptr<const OperatorFamily> make_family(OperatorFamilyKind kind,
                                                  const std::vector<MeasuredPredicate>& predicates,
                                                  const std::shared_ptr<OperatorDevices>& devices = nullptr);

}  // namespace sluice::operators
