// The budget for reading the values of attributes out of events (extractor.hpp), in the steps of scanned conditions:
// one for each node visited and each byte of text copied, steps_per_value for each value. So the steps also bound the
// memory. An event that is read again has the budget that it had the first time. Belongs to one matching thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>
#include <utility>

#include "protocol/feed/model/event.hpp"
#include "protocol/feed/values/scan_limits.hpp"
#include "protocol/filter/evaluator/meter.hpp"

namespace sluice::feed {

class ReadingBudget {
public:
    static constexpr std::uint64_t steps_per_value = 32;  // its bytes
    static constexpr std::uint64_t steps_per_path = 200;  // to prepare for reading it by itself

    // `pause` is called every 100,000 steps or so; an exception from it ends the reading and is propagated.
    explicit ReadingBudget(const ScanLimits& limits = {}, std::function<void()> pause = {})
        : limits_(limits), meter_(std::move(pause)) {}

    void begin(const Event& event);

    // Runs `read`, which spends steps of the meter, at most `steps_max`. Returns false if that or the budget did not
    // suffice; what has been read must then be dropped. All the paths of an event that are read together share a
    // budget, and so do the events of a document for which that takes long.
    template <class Read>
    bool together(const Read& read, std::uint64_t steps_max = xpath::Meter::unlimited) {
        steps_max = std::min(steps_max, is_known_ ? std::min(together_left_, left().together) : together_left_);
        const bool done = within(steps_max, read);
        together_left_ -= std::min(together_left_, meter_.spent());
        if (meter_.spent() >= long_steps) spend(&Left::together, meter_.spent());
        pause();
        return done;
    }
    // The same for one path by itself. All paths read by themselves in a document share a budget, of which each takes
    // steps_per_path more than it spends.
    template <class Read>
    bool alone(const Read& read) {
        if (!has_left_alone()) return false;
        const bool done = within(std::min(left().alone, alone_max()), read);
        spend(&Left::alone, meter_.spent() + steps_per_path);
        pause();
        return done;
    }
    bool has_left_alone() { return left().alone > 0; }
    std::uint64_t alone_max() const { return share(limits_.condition_steps_max); }  // of one path
    // The same for what the size of the event bounds.
    template <class Read>
    void freely(const Read& read) {
        meter_.begin(xpath::Meter::unlimited);
        read();
        pause();
    }

    xpath::Meter& meter() { return meter_; }
    std::uint64_t spent() const { return spent_; }  // ever
    void forget_documents();                        // that nobody holds any more

private:
    static constexpr std::uint64_t long_steps = 100'000;     // so that many events may take less
    static constexpr std::uint64_t events_of_document = 10;  // that may take all of an event's budget

    // What a document's events may still spend.
    struct Left {
        std::uint64_t alone = 0, together = 0;
    };
    struct Known {
        std::weak_ptr<const Document> document;
        Left left;
        std::unordered_map<std::size_t, Left> at_event;  // when the event was read first; those that needed to know
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
    Left& left();  // for the event
    void spend(std::uint64_t Left::*budget, std::uint64_t steps);
    void pause();

    const ScanLimits limits_;
    xpath::Meter meter_;
    std::uint64_t spent_ = 0;
    std::uint64_t since_pause_ = 0;  // steps of readings that were too short for the meter to pause
    DocumentPtr document_;
    std::size_t index_ = 0;            // of the event
    std::uint64_t together_left_ = 0;  // of the event
    bool is_known_ = false;            // the document
    Known* known_document_ = nullptr;  // once it is needed for the event
    Left left_;                        // then, what the event may spend
    std::unordered_map<const Document*, Known> known_;
};

}  // namespace sluice::feed
