#include "broker/matching/fanout.hpp"

#include <algorithm>
#include <bit>
#include <exception>

#include "broker/delivery/frames.hpp"

namespace sluice {

namespace {

// The frames of one batch, each made when the first subscriber wants it.
class BatchFrames {
public:
    explicit BatchFrames(std::span<const Event> events) : events_(events), json_(events.size()), xml_(events.size()) {}

    const Frame& json(std::size_t e) {
        if (!json_[e]) json_[e] = json_frame(events_[e]);
        return json_[e];
    }
    const Frame& xml(std::size_t e) {
        if (!xml_[e]) xml_[e] = xml_frame(events_[e]);
        return xml_[e];
    }

private:
    std::span<const Event> events_;
    std::vector<Frame> json_;
    std::vector<Frame> xml_;
};

std::vector<Message> make_messages(Subscriber& subscriber, std::span<const Event> events, BatchFrames& frames,
                                   FoundAlignments& found) {
    std::vector<Message> messages;
    messages.reserve(subscriber.wanted.size());
    std::sort(subscriber.wanted.begin(), subscriber.wanted.end());
    std::vector<std::uint32_t> filters;
    for (std::size_t i = 0; i < subscriber.wanted.size();) {
        const std::uint64_t event = subscriber.wanted[i] >> 32;
        filters.clear();
        for (; i < subscriber.wanted.size() && subscriber.wanted[i] >> 32 == event; ++i)
            filters.push_back(static_cast<std::uint32_t>(subscriber.wanted[i]));
        if (subscriber.format == EventFormat::xml) {
            messages.push_back({frames.xml(event), ""});
            continue;
        }
        std::string alignments;
        if (subscriber.annotator) alignments = subscriber.annotator->alignments(events[event], event, filters, found);
        if (!subscriber.tells_filters) filters.clear();
        messages.push_back({frames.json(event), json_frame_end(filters, alignments)});
    }
    return messages;
}

}  // namespace

Fanout::Slot* Fanout::find(SubscriptionId id) {
    if (id.slot >= slots_.size() || slots_[id.slot].generation != id.generation) return nullptr;
    return &slots_[id.slot];
}

void Fanout::apply(Change&& change) {
    std::vector<Target> dropped;  // destroyed after the lock
    const std::lock_guard lock(mutex_);
    for (auto& [id, target] : change.gained) {
        if (id.slot >= slots_.size()) slots_.resize(std::max<std::size_t>(id.slot + 1, slots_.size() * 2));
        Slot& slot = slots_[id.slot];
        if (slot.generation != id.generation) slot = {id.generation, {}};
        slot.targets.push_back(std::move(target));
    }
    for (const SubscriptionId id : change.lost) {
        Slot* slot = find(id);
        if (slot == nullptr) continue;
        const auto first_gone = std::partition(slot->targets.begin(), slot->targets.end(),
                                               [](const Target& t) { return !t.subscriber->gone.load(); });
        dropped.insert(dropped.end(), std::move_iterator(first_gone), std::move_iterator(slot->targets.end()));
        slot->targets.erase(first_gone, slot->targets.end());
    }
}

// Those that some event of a batch is for. Nothing of it is wanted in the next batch, even if an exception ends this
// one.
struct Fanout::Touched {
    std::vector<std::shared_ptr<Subscriber>> subscribers;

    ~Touched() {
        for (const auto& subscriber : subscribers) subscriber->wanted.clear();
    }
};

void Fanout::collect(std::span<const Match> matches, std::uint64_t program_number, Touched& touched) {
    const std::lock_guard lock(mutex_);
    for (const Match& match : matches) {
        Slot* slot = find(match.subscription);
        if (slot == nullptr) continue;
        for (const Target& target : slot->targets) {
            Subscriber& subscriber = *target.subscriber;
            if (subscriber.first_program > program_number) continue;
            if (subscriber.wanted.empty()) touched.subscribers.push_back(target.subscriber);
            for (std::uint32_t bits = match.accepted; bits != 0; bits &= bits - 1) {
                const auto event = std::uint64_t{match.word} * 32 + static_cast<unsigned>(std::countr_zero(bits));
                subscriber.wanted.push_back(event << 32 | target.filter);
            }
        }
    }
}

void Fanout::deliver(const Outcome& outcome) {
    if (outcome.matches.empty() && outcome.undecided.empty()) return;
    BatchFrames frames(outcome.events);
    Touched touched;
    collect(outcome.matches, outcome.program_number, touched);
    FoundAlignments found;  // has views of what the subscribers own
    std::exception_ptr failure;
    for (const auto& subscriber : touched.subscribers) {
        if (subscriber->mailbox.state() != Mailbox::State::open) continue;  // nobody would read what is made for it
        try {
            std::vector<Message> messages = make_messages(*subscriber, outcome.events, frames, found);
            const std::size_t n = messages.size();
            const auto [accepted, overflowed_now] = subscriber->mailbox.push(std::move(messages));
            if (accepted) count(counters_.deliveries, n);
            if (overflowed_now) count(counters_.slow_consumers);
        } catch (const std::exception&) {
            failure = std::current_exception();
            subscriber->mailbox.finish(undelivered_frame());
        }
    }
    if (!outcome.undecided.empty()) end_undecided(outcome);
    if (failure) std::rethrow_exception(failure);
}

void Fanout::end_undecided(const Outcome& outcome) {
    for (const Match& match : outcome.undecided) {
        const auto e = match.word * 32 + static_cast<std::uint32_t>(std::countr_zero(match.accepted));
        std::vector<Target> targets;
        {
            const std::lock_guard lock(mutex_);
            if (const Slot* slot = find(match.subscription)) targets = slot->targets;
        }
        for (const Target& target : targets) {
            if (target.subscriber->first_program > outcome.program_number) continue;
            count(counters_.slow_filters, target.subscriber->mailbox.state() == Mailbox::State::open ? 1 : 0);
            target.subscriber->mailbox.finish(slow_filter_frame(outcome.events[e], target.filter));
        }
    }
}

}  // namespace sluice
