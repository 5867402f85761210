#include "gpu/operators/family.hpp"

#include "gpu/operators/alignment_family.hpp"
#include "gpu/operators/edits_family.hpp"
#include "gpu/operators/recurrence_family.hpp"
#include "gpu/operators/regex/regex_family.hpp"

namespace sluice {

std::unique_ptr<const OperatorFamily> make_family(OperatorFamilyKind kind,
                                                  const std::vector<MeasuredPredicate>& predicates) {
    switch (kind) {
        case OperatorFamilyKind::regex:
            return std::make_unique<RegexFamily>(predicates);
        case OperatorFamilyKind::edits:
            return std::make_unique<EditsFamily>(predicates);
        case OperatorFamilyKind::alignment:
            return std::make_unique<AlignmentFamily>(predicates);
        case OperatorFamilyKind::recurrence:
            return std::make_unique<RecurrenceFamily>(predicates);
    }
    return nullptr;
}

}  // namespace sluice
