// Values that wait to be written, the last one by name, and who is to be told of them. The caller serialises all calls;
// the log holds its lock.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "broker/base/memory/memory_budget.hpp"
#include "broker/store/durable_state.hpp"

namespace sluice::store {

void check_names(const std::vector<NamedValue>& values);
// What values take in memory.
std::size_t bytes_of(const std::vector<NamedValue>& values);

class WaitingValues {
public:
    struct Value {
        std::optional<std::string> value;
        bool in_doubt = false;  // it may be on disk, and then what came after it is, too
    };
    using Values = std::map<std::string, Value, std::less<>>;

    // They supersede those of the same names. `done` may be null.
    void put(std::vector<NamedValue> values, DurableState::Done done, base::MemoryBudget& memory);
    // Takes over what an attempt to write did not write; what is here is newer. Who is to be told of that stays with
    // `older`.
    void put_back(WaitingValues& older, bool in_doubt) noexcept;
    // Whether those in doubt are on disk, which is known now.
    void end_doubt(bool are_on_disk) noexcept;

    const Values& values() const { return values_; }
    bool is_empty() const { return values_.empty() && done_.empty(); }
    bool is_waited_for() const { return !done_.empty(); }
    std::vector<DurableState::Done> take_done() noexcept { return std::move(done_); }
    // Tells all who wait.
    void end(std::optional<AppendError> error) noexcept;

private:
    Values values_;
    std::vector<DurableState::Done> done_;
    base::MemoryCharge memory_;
};

}  // namespace sluice::store
