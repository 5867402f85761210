// The budget for reading the values of attributes out of events (extractor.hpp), in the steps of scanned conditions:
// one for each node visited and each byte of text copied, steps_per_value for each value. So the steps also bound the
// memory. Belongs to one matching thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>

#include "protocol/feed/document.hpp"
#include "protocol/feed/scan_limits.hpp"
#include "protocol/filter/evaluator/meter.hpp"

namespace sluice::feed {

class ReadingBudget {
public:
    static constexpr std::uint64_t steps_per_value = 32;  // its bytes

    // `pause` is called about every tenth of a millisecond; an exception from it ends the reading and is propagated.
    explicit ReadingBudget(const ScanLimits& limits = {}, std::function<void()> pause = {})
        : limits_(limits), meter_(std::move(pause)) {}

    // Starts on an event of the document.
    void begin(const DocumentPtr& document);

    // Runs `read`, which spends steps of the meter. Returns false if the budget did not suffice; what has been read
    // must then be dropped. All the paths of an event that are read together share a budget, and so do the events of a
    // document for which that takes long.
    template <class Read>
    bool together(const Read& read) {
        const std::uint64_t steps_max = left_ == nullptr ? together_left_ : std::min(together_left_, left_->together);
        const bool done = within(steps_max, read);
        together_left_ -= std::min(together_left_, meter_.spent());
        if (meter_.spent() >= long_steps) left().together -= std::min(left().together, meter_.spent());
        return done;
    }
    // The same for one path by itself. All paths read by themselves in a document share a budget.
    template <class Read>
    bool alone(const Read& read) {
        std::uint64_t& left = this->left().alone;
        if (left == 0) return false;
        const bool done = within(std::min(left, share(limits_.condition_steps_max)), read);
        left -= std::min(left, meter_.spent());
        return done;
    }
    // The same for what the size of the event bounds.
    template <class Read>
    void freely(const Read& read) {
        meter_.begin(xpath::Meter::unlimited);
        read();
    }

    xpath::Meter& meter() { return meter_; }
    void forget_documents();  // that nobody holds any more

private:
    static constexpr std::uint64_t long_steps = 100'000;     // so that many events may take less
    static constexpr std::uint64_t events_of_document = 10;  // that may take all of an event's budget

    // What a document's events may still spend.
    struct Left {
        std::weak_ptr<const Document> document;
        std::uint64_t alone = 0, together = 0;
    };

    template <class Read>
    bool within(std::uint64_t steps_max, const Read& read) {
        meter_.begin(steps_max);
        try {
            read();
        } catch (const xpath::OverBudget&) {
            return false;
        }
        return true;
    }
    std::uint64_t share(std::uint64_t steps_max) const { return limits_.share(steps_max, document_->text()->size()); }
    Left& left();

    const ScanLimits limits_;
    xpath::Meter meter_;
    DocumentPtr document_;
    std::uint64_t together_left_ = 0;  // of the event
    Left* left_ = nullptr;             // of the document, if it is known
    std::unordered_map<const Document*, Left> known_;
};

}  // namespace sluice::feed
