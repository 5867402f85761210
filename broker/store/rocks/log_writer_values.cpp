// Values by name: how LogWriter keeps them in order with appends, and what it does with those that it could not write.
#include <map>
#include <stdexcept>
#include <utility>

#include "broker/store/rocks/log_writer.hpp"

namespace sluice::store {

void LogWriter::put(std::vector<NamedValue> values, DurableState::Done done) {
    check_names(values);
    const std::lock_guard lock(state_.mutex);
    const bool is_waited_for = done != nullptr;
    values_.put(std::move(values), std::move(done), memory_);
    if (!is_waited_for) return;
    is_urgent_ = true;
    work_.notify_one();
}

// Of several for a name the last one.
void LogWriter::put_values(Batch& batch, const Group& group) {
    std::map<std::string_view, const std::optional<std::string>*> last;
    const auto add = [&last](const WaitingValues& waiting) {
        for (const auto& [name, value] : waiting.values()) last[name] = &value.value;
    };
    for (const Waiting& waiting : group.appends) {
        add(waiting.before);
        for (const NamedValue& each : waiting.attempt.values) last[each.name] = &each.value;
    }
    add(group.values);
    for (const auto& [name, value] : last) {
        if (*value)
            batch.put(Family::state, value_key(name), **value);
        else
            batch.erase(Family::state, value_key(name));
    }
}

// What appends had is given up with them; what was put is written with the next group, unless something newer is.
void LogWriter::put_back_values(Group& group, std::vector<Waiting>& more) {
    for (auto waiting = more.rbegin(); waiting != more.rend(); ++waiting) values_.put_back(waiting->before, false);
    const bool in_doubt = group.id_in_doubt != 0;
    values_.put_back(group.values, in_doubt);
    for (auto waiting = group.appends.rbegin(); waiting != group.appends.rend(); ++waiting)
        values_.put_back(waiting->before, in_doubt);
    if (in_doubt) id_in_doubt_ = group.id_in_doubt;
}

// Whoever waits for values is told that it can't be written now.
void LogWriter::refuse_values() {
    std::vector<DurableState::Done> waiting;
    {
        const std::lock_guard lock(state_.mutex);
        waiting = values_.take_done();
    }
    for (const DurableState::Done& done : waiting) done(error_in(state_.log.condition));
}

// What was put before an append is put back if a write fails, but only if the append is not on disk: its values would
// be lost.
void LogWriter::end_doubt(const Database& database) {
    if (id_in_doubt_ == 0) return;
    const auto first = database.get(Family::events, event_key(id_in_doubt_));
    if (first.fault) throw std::runtime_error(first.fault->what);
    id_in_doubt_ = 0;
    const std::lock_guard lock(state_.mutex);
    values_.end_doubt(first.value.has_value());
}

}  // namespace sluice::store
