#include "tests/differential/crash/history.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <thread>
#include <utility>

#include "tests/support/crash_file_system.hpp"

namespace sluice::testing {

namespace {

using store::LogState;

constexpr std::chrono::seconds patience{60};

template <class Condition>
void wait_until(const char* what, const Condition& condition) {
    const auto give_up = std::chrono::steady_clock::now() + patience;
    while (!condition()) {
        if (std::chrono::steady_clock::now() > give_up) throw Wrong(std::string("waited a minute for: ") + what);
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

}  // namespace

History::History(const Plan& plan) : plan_(plan), random_(plan.seed), sender_(plan.seed + 1), disk_(plan.names) {
    for (const char* name : {"a", "b", "c", "d"}) streams_.emplace(name, SentStream{});
}

void History::run() {
    for (std::size_t i = 0; i < plan_.processes; ++i) {
        constexpr std::array ends{End::stopped, End::killed, End::power_failed, End::power_failed};
        const End how = ends[below(ends.size())];
        run_process(how);
        end(how);
    }
    if (!start(End::stopped)) throw Wrong("the last start fails");
    end(End::stopped);
}

const std::string& History::any_stream() {
    return std::next(streams_.begin(), static_cast<std::ptrdiff_t>(below(streams_.size())))->first;
}

// Returns false if the process ended before the log was open.
bool History::start(End how) {
    store::RocksSettings settings;
    settings.path = "/data/log";
    settings.sync = plan_.syncs;
    settings.replies_window = std::chrono::hours(1'000);
    settings.files = start_process(disk_);
    ++process_;
    disk_.heal();  // a full one may refuse to be opened
    if (plan_.ignores_syncs) disk_.ignore_syncs();
    if (how != End::stopped && below(3) != 0) disk_.stop_at(1 + below(3 * plan_.steps_max));
    log_ = std::make_unique<store::RocksLog>(settings, budget_, [this] { return now_.load(); });
    log_->listen([this](const store::Append& append) { hear(append); });
    try {
        log_->open();
    } catch (const std::exception& error) {
        if (disk_.is_stopped()) return false;
        throw Wrong(error.what());
    }
    return true;
}

void History::end(End how) {
    if (how != End::stopped) disk_.stop();
    log_.reset();
    if (how == End::power_failed) disk_.lose_unsynced(random_());
    const std::lock_guard lock(mutex_);
    if (waiting_ != 0) throw Wrong("an append has not ended, but the log has");
    if (puts_waiting_ != 0) throw Wrong("nobody was told what became of values, but the log has ended");
    if (!wrong_.empty()) throw Wrong(wrong_);
    lossy_ = lossy_ || (how == End::power_failed && !plan_.syncs);
    heard_before_.insert(heard_before_.end(), heard_.begin(), heard_.end());
    heard_.clear();
}

void History::run_process(End how) {
    if (!start(how)) return;
    const bool has_faults = plan_.has_faults && below(2) == 0;
    try {
        check(true, lossy_);
        const std::size_t steps = 1 + below(plan_.steps_max), fault_at = below(steps);
        for (std::size_t i = 0; i < steps && !disk_.is_stopped(); ++i) {
            if (has_faults && i == fault_at) plan_fault();
            step();
        }
        if (has_faults) recover_from_faults();
        if (below(2) != 0) return;  // with appends that wait
        wait_for_appends();
        if (!disk_.is_stopped()) check(false, false);
    } catch (const Wrong&) {
        if (!disk_.is_stopped()) throw;  // else all fails
    }
}

void History::step() {
    now_ += static_cast<feed::RecordTime>(below(1'000));
    switch (below(30)) {
        case 0:
            return clear();
        case 1:
        case 2:
            return define();
        case 3:
            return note_seen();
        case 4:
            return sync();
        case 5:
            now_ -= static_cast<feed::RecordTime>(below(500));  // a clock that is set
            return;
        case 6:
        case 7:
            return put(false);
        case 8:
        case 9:
        case 10:
        case 11:
            return put(true);
        case 12:
            return log_->collect_space();
        default:
            append();
            if (below(3) == 0) wait_for_appends();
    }
}

void History::append() {
    std::size_t number = 0;
    store::Appends appends;
    store::Attempt attempt{store::AttemptId{}};
    {
        const std::lock_guard lock(mutex_);
        number = sent_.size();
        Sent& sent = sent_.emplace_back(sender_.make(streams_, plan_.bytes_max));
        sent.process = process_;
        sent.begun = ++time_;
        ++waiting_;
        appends = sent.appends();
        attempt = store::Attempt(sent.attempt, sent.reply);
        attempt.values = sent.values;
        given_.push_back({sent.begun, sent.values, number});
    }
    const auto at_once = log_->append(attempt, std::move(appends),
                                      [this, number](const store::AppendResult& result) { note_end(number, result); });
    if (at_once) note_end(number, *at_once);
}

void History::clear() {
    wait_for_appends();
    const std::string& name = any_stream();
    SentStream& stream = streams_.at(name);
    stream.lives.push_back(++lives_);
    stream.definitions.push_back(std::nullopt);
    log_->clear(name);
    if (below(2) == 0) sync();
}

void History::define() {
    const std::string& name = any_stream();
    std::optional<std::string> definition;
    if (below(4) != 0) definition = std::to_string(++time_);
    streams_.at(name).definitions.push_back(definition);
    log_->define(name, definition);
    if (below(2) == 0) sync();
}

void History::sync() {
    if (log_->sync() || !plan_.syncs) return;
    for (auto& [name, stream] : streams_) {
        stream.lives.erase(stream.lives.begin(), stream.lives.end() - 1);
        stream.definitions.erase(stream.definitions.begin(), stream.definitions.end() - 1);
    }
}

// Items as they are now.
void History::note_seen() {
    wait_for_appends();
    const std::string& name = any_stream();
    const auto is_open = [&](const Sent& sent) {
        return sent.state == Sent::State::unknown &&
               std::any_of(sent.parts.begin(), sent.parts.end(),
                           [&](const SentPart& part) { return part.stream == name && is_live(part); });
    };
    if (std::any_of(sent_.begin(), sent_.end(), is_open)) return;  // they may be otherwise
    std::map<text::Digest, text::Digest> contents;
    std::map<std::uint64_t, feed::EventHead> events;
    for (const Sent& sent : sent_)
        for (const SentPart& part : sent.parts)
            if (sent.state == Sent::State::stored && part.stream == name && is_live(part))
                for (const SentEvent& event : part.events) events.emplace(event.id, event.head);
    for (const auto& [id, event] : events)
        if (event.identity != feed::RecordDigest{}) contents[digest_of(event.identity)] = digest_of(event.content);
    std::vector<store::SeenItem> items;
    for (const auto& [identity, content] : contents) {
        if (below(2) == 0) continue;
        items.push_back({identity, content, now_});
        streams_.at(name).sightings[{streams_.at(name).lives.back(), identity}].insert(now_);
    }
    log_->note_seen(name, std::move(items));
}

void History::plan_fault() {
    constexpr std::array<std::optional<FileKind>, 4> kinds{std::nullopt, FileKind::wal, FileKind::wal, FileKind::table};
    if (below(3) == 0) return disk_.set_free(below(10 * plan_.bytes_max));
    disk_.plan({below(2) == 0 ? Access::write : Access::sync, below(10), below(3) == 0, kinds[below(kinds.size())]});
}

void History::recover_from_faults() {
    if (log_->state().condition == LogState::Condition::full) {
        std::set<std::uint64_t> ids;
        for (const Found::Event& each : find_all().events) ids.insert(each.event.id);
        const std::lock_guard lock(mutex_);
        for (const Sent& sent : sent_)
            for (const SentPart& part : sent.parts)
                if (sent.state == Sent::State::stored && is_live(part) && !ids.contains(part.events[0].id))
                    throw Wrong("an event can't be read while the disk is full");
    }
    disk_.heal();
    if (plan_.ignores_syncs) disk_.ignore_syncs();
    wait_for_appends();
    const auto is_open = [&] { return disk_.is_stopped() || log_->state().condition == LogState::Condition::open; };
    try {
        wait_until("the log goes on by itself", is_open);
        wait_until("an append succeeds", [&] {
            append();
            wait_for_appends();
            return disk_.is_stopped() || sent_.back().state == Sent::State::stored;
        });
        wait_until("the log goes on by itself", is_open);
    } catch (const Wrong& wrong) {
        throw Wrong(wrong.what() + (": " + log_->state().reason));
    }
}

void History::wait_for_appends() {
    std::unique_lock lock(mutex_);
    if (!ended_.wait_for(lock, patience, [this] { return waiting_ == 0; })) throw Wrong("an append does not end");
}

void History::hear(const store::Append& append) {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < append.events.size(); ++i) {
        const bool is_alone = !append.items.empty();
        Heard heard{*append.stream, append.record, append.events[i]};
        if (is_alone) {
            heard.record = std::make_shared<const feed::DocumentRecord>(append.items[i].document);
            heard.event.item = append.items[i].item;
        }
        heard_.push_back(std::move(heard));
    }
}

void History::note_end(std::size_t number, const store::AppendResult& result) {
    const std::lock_guard lock(mutex_);
    Sent& sent = sent_[number];
    if (sent.state != Sent::State::waiting) wrong_ = "an append has ended twice";
    sent.ended = ++time_;
    sent.state = !result.error                                  ? Sent::State::stored
                 : *result.error == store::AppendError::unknown ? Sent::State::unknown
                                                                : Sent::State::refused;
    sent.has_failed = result.error.has_value();
    if (!result.error)
        note_stored(sent, result);
    else
        ++ended_so_.at(static_cast<std::size_t>(*result.error));
    --waiting_;
    ended_.notify_all();
}

void History::note_stored(Sent& sent, const store::AppendResult& result) {
    if (result.first_ids.size() != sent.parts.size()) wrong_ = "the result has not an id for each append";
    for (std::size_t p = 0; p < sent.parts.size() && p < result.first_ids.size(); ++p) {
        for (std::size_t i = 0; i < sent.parts[p].events.size(); ++i) {
            SentEvent& event = sent.parts[p].events[i];
            event.id = result.first_ids[p] + i;
            if (event.id <= last_id_before_) wrong_ = "an id is not above those of earlier processes";
            if (!ids_.emplace(event.id, &event).second) wrong_ = "an id is given twice: " + std::to_string(event.id);
            const bool is_heard = std::any_of(heard_.begin(), heard_.end(),
                                              [&](const Heard& heard) { return heard.event.id == event.id; });
            if (!is_heard)
                wrong_ = "an append has ended, but the listener has not had event " + std::to_string(event.id);
        }
    }
    const auto shares_stream = [&](const Sent& other) {
        return std::any_of(sent.parts.begin(), sent.parts.end(), [&](const SentPart& mine) {
            return std::any_of(other.parts.begin(), other.parts.end(),
                               [&](const SentPart& part) { return part.stream == mine.stream; });
        });
    };
    for (const Sent& other : sent_) {
        if (&other == &sent) break;
        if (other.process != sent.process || !shares_stream(other)) continue;
        if (other.state == Sent::State::waiting) wrong_ = "an append has ended before an earlier one to its stream";
        const bool has_failed = other.state == Sent::State::unknown || other.state == Sent::State::refused;
        if (has_failed && other.ended > sent.begun)
            wrong_ = "an append has succeeded after a failure that it must share";
    }
}

}  // namespace sluice::testing
