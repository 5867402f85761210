#include "gpu/operators/make_family.hpp"

#include "gpu/operators/alignment_family.hpp"
#include "gpu/operators/choosing_family.hpp"
#include "gpu/operators/edits_family.hpp"
#include "gpu/operators/recurrence_family.hpp"
#include "gpu/operators/regex_family.hpp"

namespace sluice::operators {

namespace {

template <class Family>
std::unique_ptr<const OperatorFamily> wherever(OperatorFamilyKind kind, std::unique_ptr<Family> family,
                                               const std::shared_ptr<OperatorDevices>& devices) {
    if (!devices) return family;
    return std::make_unique<ChoosingFamily>(kind, std::move(family), devices);
}

}  // namespace

std::unique_ptr<const OperatorFamily> make_family(OperatorFamilyKind kind,
                                                  const std::vector<MeasuredPredicate>& predicates,
                                                  const std::shared_ptr<OperatorDevices>& devices) {
    switch (kind) {
        case OperatorFamilyKind::regex:
            return std::make_unique<RegexFamily>(predicates);
        case OperatorFamilyKind::edits:
            return wherever(kind, std::make_unique<EditsFamily>(predicates), devices);
        case OperatorFamilyKind::alignment:
            return wherever(kind, std::make_unique<AlignmentFamily>(predicates), devices);
        case OperatorFamilyKind::recurrence:
            return wherever(kind, std::make_unique<RecurrenceFamily>(predicates), devices);
    }
    return nullptr;
}

}  // namespace sluice::operators
