// Values: the log has them as they were at some moment, with all that was given before it and nothing that was given
// later, except what belongs to appends that failed.
#include <algorithm>
#include <exception>
#include <future>
#include <limits>
#include <memory>
#include <utility>

#include "tests/differential/crash/history.hpp"

namespace sluice::testing {

void History::put(bool is_waited_for) {
    std::vector<store::NamedValue> values = sender_.values(plan_.bytes_max);
    std::uint64_t time = 0;
    {
        const std::lock_guard lock(mutex_);
        time = ++time_;
        given_.push_back({time, values, std::nullopt});
        puts_waiting_ += is_waited_for ? 1 : 0;
    }
    if (!is_waited_for) return log_->put(std::move(values), nullptr);
    const auto is_told = std::make_shared<bool>(false);
    log_->put(std::move(values), [this, time, is_told](std::optional<store::AppendError> error) {
        const std::lock_guard lock(mutex_);
        if (std::exchange(*is_told, true)) wrong_ = "it was told twice what became of values";
        if (!error) values_safe_at_ = std::max(values_safe_at_, time);
        --puts_waiting_;
    });
}

// All that has been put is on disk then, unless it returns false.
bool History::write_values() {
    std::promise<bool> written;
    log_->put({}, [&](std::optional<store::AppendError> error) { written.set_value(!error); });
    return written.get_future().get();
}

// None: that can't be seen, as its streams have been cleared.
std::optional<bool> History::is_there(const Sent& sent, bool lossy) const {
    const bool is_seen =
        std::any_of(sent.parts.begin(), sent.parts.end(), [this](const auto& part) { return is_live(part); });
    if (sent.state == Sent::State::stored && (is_seen || !lossy)) return true;
    if (sent.state == Sent::State::refused || (sent.state == Sent::State::gone && (is_seen || !lossy))) return false;
    return std::nullopt;
}

// Whether they are what was given up to this time.
bool History::are_values_as_at(std::uint64_t time, bool lossy, const std::map<std::string, std::string>& found) const {
    std::map<std::string, std::vector<std::optional<std::string>>> possible;  // by name, the last one first
    for (const auto& [name, value] : values_) possible[name] = {value};
    for (const auto& [name, value] : found) possible.try_emplace(name, 1, std::nullopt);
    for (const Given& given : given_) {
        if (given.time > time) break;
        const std::optional<bool> counts = given.append ? is_there(sent_[*given.append], lossy) : true;
        if (counts == false) continue;
        std::map<std::string, std::optional<std::string>> last;
        for (const store::NamedValue& each : given.values) last[each.name] = each.value;
        for (const auto& [name, value] : last) {
            auto& of_name = possible.try_emplace(name, 1, std::nullopt).first->second;
            if (counts) of_name.clear();
            of_name.push_back(value);
        }
    }
    return std::all_of(possible.begin(), possible.end(), [&](const auto& each) {
        const auto at = found.find(each.first);
        const auto value = at == found.end() ? std::nullopt : std::optional(at->second);
        return std::count(each.second.begin(), each.second.end(), value) != 0;
    });
}

// `exact`: the log has all; `lossy`: it may lack the newest. Appends are as they have been found.
void History::check_values(bool is_fresh, bool exact, bool lossy) {
    std::map<std::string, std::string> found;
    try {
        for (store::NamedValue& each : log_->values()) found[each.name] = each.value.value();
    } catch (const std::exception& error) {
        throw Wrong(error.what());
    }
    const std::lock_guard lock(mutex_);
    std::uint64_t first = lossy ? 0 : values_safe_at_, end = std::numeric_limits<std::uint64_t>::max();
    for (const Given& given : given_) {
        if (!given.append) continue;
        const Sent& sent = sent_[*given.append];
        const std::optional<bool> is_stored = is_there(sent, lossy);
        if (is_stored == true) first = std::max(first, given.time);
        if (is_stored == false && !sent.has_failed) end = std::min(end, given.time);
    }
    if (first >= end) throw Wrong("values are there that were given after an append that is not");
    std::vector<std::uint64_t> times{first};
    for (const Given& given : given_)
        if (given.time > first && given.time < end) times.push_back(given.time);
    if (exact) times = {end - 1};
    if (std::none_of(times.begin(), times.end(),
                     [&](std::uint64_t time) { return are_values_as_at(time, lossy, found); }))
        throw Wrong(exact ? "values are not those that were given last" : "values are as they have never been");
    // Otherwise more of what was given may be written, or be lost again.
    if (!is_fresh && (!exact || !plan_.syncs)) return;
    values_ = std::move(found);
    given_.clear();
    values_safe_at_ = 0;
}

}  // namespace sluice::testing
