#include "broker/core/delivery/mailbox.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "gpu/check/check.hpp"

namespace sluice::broker {

namespace {

std::size_t bytes_of(std::span<const Delivery> deliveries) {
    std::size_t bytes = 0;
    for (const Delivery& delivery : deliveries) bytes += delivery.bytes;
    return bytes;
}

std::size_t memory_of(std::span<const Delivery> deliveries) {
    std::size_t bytes = 0;
    for (const Delivery& delivery : deliveries) bytes += delivery.own_memory();
    return bytes;
}

void append(std::vector<Delivery>& to, std::vector<Delivery> deliveries) {
    if (to.empty())
        to = std::move(deliveries);
    else
        to.insert(to.end(), std::move_iterator(deliveries.begin()), std::move_iterator(deliveries.end()));
}

std::vector<Delivery> take_first(std::vector<Delivery>& from, std::size_t most) {
    if (from.size() <= most) return std::exchange(from, {});
    const auto end = from.begin() + static_cast<std::ptrdiff_t>(most);
    std::vector<Delivery> taken(std::move_iterator(from.begin()), std::move_iterator(end));
    from.erase(from.begin(), end);
    return taken;
}

// Where a replay begins to deliver it again.
std::uint64_t first_id_of(const Delivery& delivery) {
    return delivery.kind == Delivery::Kind::event ? delivery.event->id : delivery.first_id;
}

}  // namespace

Mailbox::Pushed Mailbox::push(std::vector<Delivery> deliveries, bool can_wait) {
    std::vector<Delivery> dropped;  // freed after the lock
    bool wake = false;
    Pushed pushed;
    {
        const std::lock_guard lock(mutex_);
        if (state_ != State::open || phase_ == Phase::replaying) return {false, false};
        // Prepared before a replay began, which has found them in the log.
        const std::uint64_t first = first_id.load(std::memory_order_relaxed);
        if (first != no_id) std::erase_if(deliveries, [first](const Delivery& d) { return d.event->id < first; });
        if (deliveries.empty()) return pushed;
        const std::size_t bytes = bytes_of(deliveries), memory = memory_of(deliveries);
        const std::size_t behind = queued() - left_, behind_bytes = queued_bytes_ - left_bytes_;
        const bool full = behind + deliveries.size() > limits_.events_max || behind_bytes + bytes > limits_.bytes_max;
        // A subscriber whose session has taken everything is not slow, however large the batch.
        if (full && behind != 0) {
            wake = overflow_locked(EndReason::Kind::slow_consumer, dropped);
            pushed = {false, true};
        } else {
            const std::size_t n = deliveries.size();
            append(queue_, std::move(deliveries));
            events_ += n;
            bytes_ += bytes;
            queued_bytes_ += bytes;
            add_memory(memory);
            can_wait_ = can_wait_ && can_wait;
            wake = phase_ == Phase::live && std::exchange(waiting_, false);
        }
    }
    if (wake) wake_();
    return pushed;
}

void Mailbox::add_memory(std::size_t bytes) {
    memory_bytes_ += bytes;
    if (memory_bytes_ > memory_.bytes()) memory_.force_resize(memory_bytes_);
}

void Mailbox::release_memory(std::size_t bytes, std::size_t kept) {
    memory_bytes_ -= std::min(memory_bytes_, bytes);
    if (memory_.bytes() > memory_bytes_ + kept) memory_.force_resize(memory_bytes_);
}

void Mailbox::drop_queued(std::vector<Delivery>& dropped) {
    const auto queued = std::span(queue_).subspan(first_);
    SLUICE_CHECK(queued.size() <= events_ && queued_bytes_ <= bytes_);
    events_ -= queued.size();
    bytes_ -= std::exchange(queued_bytes_, 0);
    release_memory(memory_of(queued), 0);
    dropped.swap(queue_);
    first_ = left_ = left_bytes_ = 0;
}

std::uint64_t Mailbox::next_id_locked() const {
    if (phase_ != Phase::live) return next_id_;
    const std::uint64_t first = first_id.load(std::memory_order_relaxed);
    return first == no_id ? next_id_ : std::max(next_id_, first);
}

// Deliveries already taken stay counted until they are settled. Returns whether to wake the session.
bool Mailbox::overflow_locked(EndReason::Kind reason, std::vector<Delivery>& dropped) {
    if (state_ != State::open) return false;
    if (limits_.replays) return rewind(dropped);
    state_ = State::overflowed;
    end_reason_ = {reason};
    waiting_ = false;
    dropped_ += queued();
    drop_queued(dropped);
    return true;
}

// Goes on with the log from the first delivery that has not been handed out.
bool Mailbox::rewind(std::vector<Delivery>& dropped) {
    if (phase_ == Phase::live && first_id == no_id) return false;  // nothing is lost before it begins
    next_id_ = replayed_.empty() ? next_id_locked() : first_id_of(replayed_.front());
    phase_ = Phase::replaying;
    first_id = muted;
    drop_queued(dropped);
    events_ -= replayed_.size();
    bytes_ -= bytes_of(replayed_);
    release_memory(memory_of(replayed_), 0);
    std::vector<Delivery>().swap(replayed_);  // no more than a step's and replayed_bytes
    return std::exchange(waiting_, false);
}

void Mailbox::overflow() {
    std::vector<Delivery> dropped;  // freed after the lock
    bool wake = false;
    {
        const std::lock_guard lock(mutex_);
        wake = overflow_locked(EndReason::Kind::undelivered, dropped);
    }
    if (wake) wake_();
}

void Mailbox::lose() noexcept {
    if (limits_.replays)
        overflow();
    else
        finish(EndReason{EndReason::Kind::undelivered});
}

std::uint64_t Mailbox::next_id() const {
    const std::lock_guard lock(mutex_);
    return next_id_locked();
}

std::optional<std::uint64_t> Mailbox::note_decided(std::uint64_t id) {
    const std::lock_guard lock(mutex_);
    if (phase_ == Phase::live) next_id_ = std::max(next_id_locked(), queued() == 0 ? id + 1 : 0);
    if (!replayed_.empty() || next_id_ == 0) return std::nullopt;
    return next_id_ - 1;
}

void Mailbox::begin_replay(std::uint64_t next_id) {
    const std::lock_guard lock(mutex_);
    phase_ = Phase::replaying;
    next_id_ = next_id;
}

bool Mailbox::push_replayed(std::vector<Delivery> deliveries, std::uint64_t from, std::uint64_t next_id) {
    bool wake = false;
    {
        const std::lock_guard lock(mutex_);
        if (state_ != State::open || phase_ == Phase::live || next_id_ != from) return false;
        next_id_ = next_id;
        if (deliveries.empty()) return true;
        count_queued(deliveries);
        append(replayed_, std::move(deliveries));
        wake = std::exchange(waiting_, false);
    }
    if (wake) wake_();
    return true;
}

void Mailbox::count_queued(std::span<const Delivery> deliveries) {
    events_ += deliveries.size();
    bytes_ += bytes_of(deliveries);
    add_memory(memory_of(deliveries));
}

void Mailbox::ask_again(std::span<const Again> events) {
    const std::lock_guard lock(mutex_);
    asked_.insert(asked_.end(), events.begin(), events.end());
}

std::vector<Mailbox::Again> Mailbox::take_asked(std::size_t most) {
    const std::lock_guard lock(mutex_);
    if (!wants_again_locked()) return {};
    const auto end = asked_.begin() + static_cast<std::ptrdiff_t>(std::min(most, asked_.size()));
    std::vector<Again> taken(asked_.begin(), end);
    asked_.erase(asked_.begin(), end);
    return taken;
}

bool Mailbox::wants_again() const {
    const std::lock_guard lock(mutex_);
    return wants_again_locked();
}

bool Mailbox::wants_again_locked() const {
    return state_ == State::open && !asked_.empty() && bytes_of(again_) < replayed_bytes;
}

bool Mailbox::push_again(std::vector<Delivery> deliveries) {
    {
        const std::lock_guard lock(mutex_);
        if (state_ != State::open) return false;
        count_queued(deliveries);
        append(again_, std::move(deliveries));
        waiting_ = false;
    }
    wake_();
    return true;
}

std::vector<Delivery> Mailbox::take_again(std::size_t deliveries_max) {
    const std::lock_guard lock(mutex_);
    return take_first(again_, deliveries_max);
}

bool Mailbox::is_replaying() const {
    const std::lock_guard lock(mutex_);
    return phase_ == Phase::replaying;
}

bool Mailbox::is_live() const {
    const std::lock_guard lock(mutex_);
    return phase_ == Phase::live;
}

bool Mailbox::wants_replayed() const {
    const std::lock_guard lock(mutex_);
    return state_ == State::open && phase_ != Phase::live && bytes_of(replayed_) < replayed_bytes;
}

void Mailbox::begin_joining() {
    const std::lock_guard lock(mutex_);
    first_id = muted;
    phase_ = Phase::joining;
}

bool Mailbox::end_joining() {
    bool wake = false;
    {
        const std::lock_guard lock(mutex_);
        if (phase_ != Phase::joining) return phase_ == Phase::live;
        phase_ = Phase::live;
        wake = std::exchange(waiting_, false);
    }
    if (wake) wake_();
    return true;
}

std::vector<Delivery> Mailbox::take_live(std::size_t deliveries_max) {
    std::vector<Delivery> taken;
    if (first_ == 0 && queued() <= deliveries_max) {
        taken = std::exchange(queue_, {});
    } else {
        const auto begin = queue_.begin() + static_cast<std::ptrdiff_t>(first_);
        const auto end = begin + static_cast<std::ptrdiff_t>(std::min(queued(), deliveries_max));
        taken.assign(std::move_iterator(begin), std::move_iterator(end));
        first_ += taken.size();
        // Amortised: each delivery is moved a few times at most, and taken ones never make up much more than half.
        if (first_ > queue_.size() / 2) {
            queue_.erase(queue_.begin(), queue_.begin() + static_cast<std::ptrdiff_t>(first_));
            first_ = 0;
        }
    }
    const std::size_t taken_bytes = bytes_of(taken);
    SLUICE_CHECK(first_ <= queue_.size() && taken_bytes <= queued_bytes_);
    queued_bytes_ -= taken_bytes;
    left_ = left_bytes_ = 0;
    if (queue_.empty()) can_wait_ = true;
    if (!taken.empty()) next_id_ = std::max(next_id_, taken.back().position() + 1);
    return taken;
}

// Counts the oldest queued deliveries as taken, and returns their bytes.
std::size_t Mailbox::leave_live(std::size_t deliveries_max) {
    left_ = std::min(queued(), deliveries_max);
    left_bytes_ = bytes_of(std::span(queue_).subspan(first_, left_));
    return left_bytes_;
}

Mailbox::Taken Mailbox::take(std::size_t deliveries_max, Leave leave) {
    const std::lock_guard lock(mutex_);
    Taken taken;
    taken.state = state_;
    taken.replaying = taken.state == State::open && phase_ != Phase::live;
    if (!replayed_.empty()) {
        taken.deliveries = take_first(replayed_, deliveries_max);
    } else if (phase_ == Phase::live) {
        taken.can_wait = can_wait_;
        const bool leaves = leave == Leave::all || (leave == Leave::waiting && can_wait_);
        if (leaves && queued() != 0)
            taken.left_bytes = leave_live(deliveries_max);
        else
            taken.deliveries = take_live(deliveries_max);
    }
    waiting_ = taken.deliveries.empty() && !taken.left_bytes;
    return taken;
}

void Mailbox::settled(std::span<const Delivery> deliveries) {
    const std::size_t bytes = bytes_of(deliveries);
    const std::lock_guard lock(mutex_);
    if (is_closed_) return;
    SLUICE_CHECK(deliveries.size() <= events_ && bytes <= bytes_ - queued_bytes_);  // each was taken, and only once
    events_ -= deliveries.size();
    bytes_ -= bytes;
    release_memory(memory_of(deliveries), events_ == 0 ? 0 : kept_memory);
}

void Mailbox::finish(std::optional<EndReason> reason) {
    {
        const std::lock_guard lock(mutex_);
        if (state_ != State::open) return;
        state_ = State::finished;
        end_reason_ = std::move(reason);
        waiting_ = false;
    }
    wake_();
}

std::size_t Mailbox::close() {
    std::vector<Delivery> dropped;  // freed after the lock
    const std::lock_guard lock(mutex_);
    const std::size_t unsettled = events_ + std::exchange(dropped_, 0);
    if (state_ == State::open) state_ = State::finished;
    waiting_ = false;
    is_closed_ = true;
    std::vector<Delivery> replayed, again;
    dropped.swap(queue_);
    replayed.swap(replayed_);
    again.swap(again_);
    asked_.clear();
    first_ = events_ = bytes_ = queued_bytes_ = left_ = left_bytes_ = 0;
    release_memory(memory_bytes_, 0);
    return unsettled;
}

std::optional<EndReason> Mailbox::end_reason() const {
    const std::lock_guard lock(mutex_);
    return end_reason_;
}

std::size_t Mailbox::releasable_bytes() const {
    const std::lock_guard lock(mutex_);
    return limits_.replays ? queued_bytes_ + bytes_of(replayed_) : bytes_;
}

std::size_t Mailbox::events() const {
    const std::lock_guard lock(mutex_);
    return events_;
}

std::size_t Mailbox::bytes() const {
    const std::lock_guard lock(mutex_);
    return bytes_;
}

}  // namespace sluice::broker
