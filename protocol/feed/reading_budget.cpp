#include "protocol/feed/reading_budget.hpp"

namespace sluice::feed {

void ReadingBudget::begin(const DocumentPtr& document) {
    if (document_ != document) {
        document_ = document;
        left_alone_ = nullptr;
    }
    together_left_ = share(limits_.document_steps_max);
}

std::uint64_t& ReadingBudget::left_alone() {
    if (left_alone_ == nullptr) {
        Left& left = left_alone_of_[document_.get()];
        // A new document may have the address of one that is gone.
        if (left.document.expired()) left = {document_, share(limits_.document_steps_max)};
        left_alone_ = &left.steps;
    }
    return *left_alone_;
}

void ReadingBudget::forget_documents() {
    document_.reset();
    left_alone_ = nullptr;
    std::erase_if(left_alone_of_, [](const auto& entry) { return entry.second.document.expired(); });
}

}  // namespace sluice::feed
