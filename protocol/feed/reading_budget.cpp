#include "protocol/feed/reading_budget.hpp"

namespace sluice::feed {

void ReadingBudget::begin(const DocumentPtr& document) {
    if (document_ != document) {
        document_ = document;
        const auto known = known_.empty() ? known_.end() : known_.find(document.get());
        left_ = known == known_.end() || known->second.document.expired() ? nullptr : &known->second;
    }
    together_left_ = share(limits_.document_steps_max);
}

ReadingBudget::Left& ReadingBudget::left() {
    if (left_ == nullptr) {
        const std::uint64_t steps_max = share(limits_.document_steps_max);
        left_ = &known_[document_.get()];
        *left_ = {document_, steps_max, events_of_document * steps_max};
    }
    return *left_;
}

void ReadingBudget::forget_documents() {
    document_.reset();
    left_ = nullptr;
    std::erase_if(known_, [](const auto& entry) { return entry.second.document.expired(); });
}

}  // namespace sluice::feed
