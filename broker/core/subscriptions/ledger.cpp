#include "broker/core/subscriptions/ledger.hpp"

#include <algorithm>
#include <limits>

#include "gpu/check/check.hpp"
#include "protocol/text/utf8.hpp"

namespace sluice::broker {

namespace {

Ledger::Time later(Ledger::Time time, Ledger::Duration wait) {
    return time > Ledger::Time::max() - wait ? Ledger::Time::max() : time + wait;
}

}  // namespace

Ledger::Ledger(const Settings& settings, std::uint64_t next)
    : settings_(settings), next_(std::max<std::uint64_t>(next, 1)) {}

void Ledger::set(const Settings& settings) {
    settings_ = settings;
    std::vector<std::uint64_t> ids(due_.begin(), due_.end());
    ids.insert(ids.end(), spent_.begin(), spent_.end());
    due_.clear();
    spent_.clear();
    for (const std::uint64_t id : ids) file(id, entries_.find(id)->second);
}

std::uint64_t Ledger::cursor() const {
    return (entries_.empty() ? next_ : std::min(next_, entries_.begin()->first)) - 1;
}

std::size_t Ledger::credit() const {
    if (settings_.in_order && !all_with_consumers()) return 0;
    return settings_.prefetch - std::min(settings_.prefetch, entries_.size());
}

std::uint32_t Ledger::deliver(std::uint64_t id, Consumer consumer, Time now) {
    if (id < next_ || done_.contains(id) || entries_.contains(id)) return 0;
    SLUICE_CHECK(entries_.size() < outstanding_max);
    Entry& entry = entries_[id];
    entry.deliveries = id <= loaded_mark_ ? 2 : 1;
    hand_over(id, entry, consumer, now);
    highest_delivered_ = std::max(highest_delivered_, id);
    ++version_;
    return entry.deliveries;
}

void Ledger::advance(std::uint64_t next) {
    if (next <= next_) return;
    next_ = next;
    done_.erase(done_.begin(), done_.lower_bound(next));
    ++version_;
}

void Ledger::seek(std::uint64_t next) {
    next_ = std::max<std::uint64_t>(next, 1);
    mark_ = loaded_mark_ = highest_delivered_ = 0;
    entries_.clear();
    with_consumers_ = buried_ = 0;
    held_.clear();
    done_.clear();
    times_.clear();
    due_.clear();
    spent_.clear();
    fetching_.clear();
    ++version_;
}

void Ledger::set_mark(std::uint64_t mark) {
    if (mark <= mark_) return;
    mark_ = mark;
    ++version_;
}

void Ledger::lower_mark() {
    mark_ = std::max({loaded_mark_, highest_delivered_, next_ - 1});
    ++version_;
}

// Nothing with a lower id waits or is a dead letter.
bool Ledger::is_next_due(std::uint64_t id) const {
    if (!settings_.in_order) return true;
    for (auto at = entries_.begin(); at->first != id; ++at) {
        const Place place = at->second.place;
        if (place != Place::consumer && place != Place::fetching) return false;
    }
    return true;
}

std::vector<Ledger::Due> Ledger::take_due(Time now, std::size_t most) {
    settle(now);
    std::vector<Due> taken;
    taken.reserve(std::min(most, due_.size()));
    while (taken.size() < most && !due_.empty() && is_next_due(*due_.begin())) {
        const std::uint64_t id = *due_.begin();
        due_.erase(due_.begin());
        fetching_.insert(fetching_.end(), id);
        Entry& entry = entries_.find(id)->second;
        move(entry, Place::fetching);
        taken.push_back({id, one_more(entry.deliveries)});
    }
    return taken;
}

std::uint32_t Ledger::deliver_again(std::uint64_t id, Consumer consumer, Time now) {
    const auto found = entries_.find(id);
    if (found == entries_.end() || found->second.place != Place::fetching) return 0;
    Entry& entry = found->second;
    fetching_.erase(id);
    entry.deliveries = one_more(entry.deliveries);
    entry.reason.clear();
    hand_over(id, entry, consumer, now);
    ++version_;
    return entry.deliveries;
}

void Ledger::give_up_fetching() {
    for (const std::uint64_t id : std::exchange(fetching_, {})) file(id, entries_.find(id)->second);
}

bool Ledger::drop(std::uint64_t id) {
    const auto found = entries_.find(id);
    if (found == entries_.end()) return false;
    finish(found);
    return true;
}

std::vector<Ledger::Spent> Ledger::take_spent(Time now, std::size_t most) {
    settle(now);
    std::vector<Spent> taken;
    taken.reserve(std::min(most, spent_.size()));
    while (taken.size() < most && !spent_.empty()) {
        const std::uint64_t id = *spent_.begin();
        spent_.erase(spent_.begin());
        Entry& entry = entries_.find(id)->second;
        move(entry, Place::dying);
        taken.push_back(
            {id, entry.deliveries, entry.reason.empty() ? std::string(reason_of(entry.end)) : entry.reason});
    }
    return taken;
}

void Ledger::return_spent(std::uint64_t id, Time again) {
    const auto found = entries_.find(id);
    if (found == entries_.end()) return;
    Entry& entry = found->second;
    if (entry.place != Place::dying && entry.place != Place::buried) return;
    if (entry.place == Place::buried) done_.erase(id);
    wait(id, entry, again);
    ++version_;
}

bool Ledger::bury(std::uint64_t id) {
    const auto found = entries_.find(id);
    if (found == entries_.end() || found->second.place != Place::dying) return false;
    move(found->second, Place::buried);
    if (id >= next_) done_.insert(id);
    ++version_;
    return true;
}

std::optional<Ledger::Time> Ledger::next_time() const { return due_.empty() ? next_change() : Time::min(); }

std::optional<Ledger::Time> Ledger::next_change() const {
    if (!spent_.empty()) return Time::min();
    if (times_.empty()) return std::nullopt;
    return times_.begin()->first;
}

bool Ledger::end_burial(std::uint64_t id) {
    const auto found = entries_.find(id);
    if (found == entries_.end() || found->second.place != Place::buried) return false;
    finish(found);
    return true;
}

bool Ledger::acknowledge(std::uint64_t id) {
    const auto found = entries_.find(id);
    if (found == entries_.end() || found->second.place == Place::buried) return false;
    finish(found);
    return true;
}

std::size_t Ledger::acknowledge_up_to(std::uint64_t id) {
    std::size_t acknowledged = 0;
    for (auto at = entries_.begin(); at != entries_.end() && at->first <= id;) {
        if (at->second.place == Place::buried) {
            ++at;
            continue;
        }
        at = finish(at);
        ++acknowledged;
    }
    return acknowledged;
}

bool Ledger::reject(std::uint64_t id, std::uint32_t deliveries, std::string_view reason, Time again) {
    Entry* const entry = with_consumer(id, deliveries);
    if (entry == nullptr) return false;
    times_.erase({entry->time, id});
    entry->reason = text::shortened_utf8(reason, reason_bytes_max);
    entry->end = End::rejected;
    end_delivery(id, *entry, again);
    return true;
}

bool Ledger::extend(std::uint64_t id, std::uint32_t deliveries, Time until) {
    Entry* const entry = with_consumer(id, deliveries);
    if (entry == nullptr) return false;
    times_.erase({entry->time, id});
    entry->time = until;
    times_.emplace(until, id);
    return true;
}

void Ledger::release(Consumer consumer, Time now) {
    for (auto& [id, entry] : entries_) {
        if (entry.place != Place::consumer || entry.consumer != consumer) continue;
        times_.erase({entry.time, id});
        entry.end = End::released;
        end_delivery(id, entry, now);
    }
}

std::string_view Ledger::reason_of(End end) {
    switch (end) {
        case End::expired:
            return "not acknowledged within ack_wait";
        case End::rejected:
            return "rejected";
        case End::released:
            return "the consumer left";
        case End::restarted:
            break;
    }
    return "delivered before a restart";
}

std::uint32_t Ledger::one_more(std::uint32_t deliveries) {
    return deliveries == std::numeric_limits<std::uint32_t>::max() ? deliveries : deliveries + 1;
}

bool Ledger::is_worn_out(const Entry& entry) const {
    return settings_.deliveries_max != 0 && entry.deliveries >= settings_.deliveries_max;
}

Ledger::Duration Ledger::backoff(const Entry& entry) const {
    const std::uint32_t doublings = std::min<std::uint32_t>(entry.deliveries - settings_.deliveries_max, 30);
    return std::min(backoff_least * (std::int64_t{1} << doublings), backoff_most);
}

std::size_t Ledger::held_by(Consumer consumer) const {
    const auto found = held_.find(consumer);
    return found == held_.end() ? 0 : found->second;
}

void Ledger::leave_consumer(const Entry& entry) {
    --with_consumers_;
    const auto found = held_.find(entry.consumer);
    if (--found->second == 0) held_.erase(found);
}

void Ledger::move(Entry& entry, Place place) {
    if (entry.place == Place::consumer) leave_consumer(entry);
    if (entry.place == Place::buried) --buried_;
    if (place == Place::buried) ++buried_;
    entry.place = place;
}

void Ledger::hand_over(std::uint64_t id, Entry& entry, Consumer consumer, Time now) {
    move(entry, Place::consumer);
    entry.consumer = consumer;
    ++held_[consumer];
    ++with_consumers_;
    entry.time = later(now, settings_.ack_wait);
    times_.emplace(entry.time, id);
}

void Ledger::wait(std::uint64_t id, Entry& entry, Time again) {
    move(entry, Place::waiting);
    entry.time = again;
    times_.emplace(again, id);
}

void Ledger::file(std::uint64_t id, Entry& entry) {
    const bool is_spent = settings_.has_dead_letters && is_worn_out(entry);
    move(entry, is_spent ? Place::spent : Place::due);
    (is_spent ? spent_ : due_).insert(id);
}

void Ledger::end_delivery(std::uint64_t id, Entry& entry, Time again) {
    if (!is_worn_out(entry)) return wait(id, entry, again);
    if (settings_.has_dead_letters) return file(id, entry);
    wait(id, entry, later(again, backoff(entry)));
}

void Ledger::settle(Time now) {
    while (!times_.empty() && times_.begin()->first <= now) {
        const std::uint64_t id = times_.begin()->second;
        times_.erase(times_.begin());
        Entry& entry = entries_.find(id)->second;
        if (entry.place == Place::waiting) {
            file(id, entry);
            continue;
        }
        if (entry.place == Place::consumer) {
            entry.end = End::expired;
            ++expired_;
        }
        end_delivery(id, entry, now);
    }
}

Ledger::Entry* Ledger::with_consumer(std::uint64_t id, std::uint32_t deliveries) {
    const auto found = entries_.find(id);
    if (found == entries_.end() || found->second.place != Place::consumer) return nullptr;
    return deliveries == 0 || deliveries == found->second.deliveries ? &found->second : nullptr;
}

Ledger::Entries::iterator Ledger::finish(Entries::iterator at) {
    const auto& [id, entry] = *at;
    switch (entry.place) {
        case Place::consumer:
        case Place::waiting:
        case Place::restored:
            times_.erase({entry.time, id});
            break;
        case Place::due:
            due_.erase(id);
            break;
        case Place::fetching:
            fetching_.erase(id);
            break;
        case Place::spent:
            spent_.erase(id);
            break;
        case Place::dying:
        case Place::buried:
            break;
    }
    if (entry.place == Place::consumer) leave_consumer(entry);
    if (entry.place == Place::buried) --buried_;
    if (id >= next_) done_.insert(id);
    ++version_;
    return entries_.erase(at);
}

}  // namespace sluice::broker
