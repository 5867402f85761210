#include "protocol/feed/values/reading_budget.hpp"

namespace sluice::feed {

void ReadingBudget::begin(const Event& event) {
    if (document_ != event.document) {
        document_ = event.document;
        const auto known = known_.empty() ? known_.end() : known_.find(document_.get());
        is_known_ = known != known_.end() && !known->second.document.expired();
    }
    index_ = event.index;
    known_document_ = nullptr;
    together_left_ = share(limits_.document_steps_max);
}

ReadingBudget::Left& ReadingBudget::left() {
    if (known_document_ == nullptr) {
        Known& known = known_[document_.get()];
        if (!is_known_) {  // a new document may have the address of one that is gone
            const std::uint64_t steps_max = share(limits_.document_steps_max);
            known = {document_, {steps_max, events_of_document * steps_max}, {}};
            is_known_ = true;
        }
        left_ = known.at_event.try_emplace(index_, known.left).first->second;
        known_document_ = &known;
    }
    return left_;
}

// An event that is read again takes nothing from those after it that it has not taken before.
void ReadingBudget::spend(std::uint64_t Left::*budget, std::uint64_t steps) {
    std::uint64_t& left = this->left().*budget;
    left -= std::min(left, steps);
    std::uint64_t& of_document = known_document_->left.*budget;
    of_document = std::min(of_document, left);
}

void ReadingBudget::pause() {
    spent_ += meter_.spent();
    since_pause_ += meter_.spent();
    if (since_pause_ < xpath::steps_per_pause) return;
    since_pause_ = 0;
    meter_.look();
}

void ReadingBudget::forget_documents() {
    document_.reset();
    is_known_ = false;
    known_document_ = nullptr;
    std::erase_if(known_, [](const auto& entry) { return entry.second.document.expired(); });
}

}  // namespace sluice::feed
