#include "protocol/feed/reading_budget.hpp"

namespace sluice::feed {

void ReadingBudget::begin(const DocumentPtr& document) {
    if (document_ != document) document_ = document;
    together_left_ = share(limits_.document_steps_max);
}

std::uint64_t ReadingBudget::left_alone() const {
    const std::uint64_t steps_max = share(limits_.document_steps_max);
    const auto found = spent_alone_.find(document_.get());
    if (found == spent_alone_.end() || found->second.document.expired()) return steps_max;
    return steps_max - std::min(steps_max, found->second.steps);
}

void ReadingBudget::keep_left_alone(std::uint64_t left) {
    spent_alone_[document_.get()] = {document_, share(limits_.document_steps_max) - left};
}

void ReadingBudget::forget_documents() {
    document_.reset();
    std::erase_if(spent_alone_, [](const auto& entry) { return entry.second.document.expired(); });
}

}  // namespace sluice::feed
