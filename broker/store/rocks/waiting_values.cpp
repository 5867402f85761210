#include "broker/store/rocks/waiting_values.hpp"

#include <iterator>
#include <string_view>
#include <utility>

#include "gpu/check/check.hpp"

namespace sluice::store {

namespace {

constexpr std::size_t place_bytes = 128;  // of a value in the map, with its name and text as allocated

std::size_t bytes_of(std::string_view name, const std::optional<std::string>& value) {
    return place_bytes + name.size() + (value ? value->size() : 0);
}

}  // namespace

void check_names(const std::vector<NamedValue>& values) {
    for (const NamedValue& each : values) SLUICE_CHECK(each.name.size() <= value_name_max);
}

std::size_t bytes_of(const std::vector<NamedValue>& values) {
    std::size_t bytes = 0;
    for (const NamedValue& each : values) bytes += bytes_of(each.name, each.value);
    return bytes;
}

void WaitingValues::put(std::vector<NamedValue> values, DurableState::Done done, base::MemoryBudget& memory) {
    Values newer;
    for (NamedValue& each : values) newer.insert_or_assign(std::move(each.name), Value{std::move(each.value)});
    if (done) done_.push_back(std::move(done));
    if (!memory_) memory_ = memory.force_charge(base::MemoryUse::store, 0);
    std::size_t bytes = memory_.bytes();
    while (!newer.empty()) {  // allocates nothing
        auto node = newer.extract(newer.begin());
        bytes += bytes_of(node.key(), node.mapped().value);
        const auto at = values_.find(node.key());
        if (at == values_.end()) {
            values_.insert(std::move(node));
            continue;
        }
        bytes -= bytes_of(at->first, at->second.value);
        at->second = std::move(node.mapped());
    }
    memory_.force_resize(bytes);
}

void WaitingValues::put_back(WaitingValues& older, bool in_doubt) noexcept {
    if (older.values_.empty()) return;
    for (auto& [name, value] : older.values_) value.in_doubt = in_doubt;
    if (values_.empty()) std::swap(memory_, older.memory_);
    values_.merge(older.values_);
    std::size_t bytes = 0;
    for (const auto& [name, value] : values_) bytes += bytes_of(name, value.value);
    memory_.force_resize(bytes);
    older.values_.clear();
    older.memory_.release();
}

void WaitingValues::end_doubt(bool are_on_disk) noexcept {
    std::size_t bytes = memory_.bytes();
    for (auto at = values_.begin(); at != values_.end();) {
        const bool is_written = at->second.in_doubt && are_on_disk;
        at->second.in_doubt = false;
        if (is_written) bytes -= bytes_of(at->first, at->second.value);
        at = is_written ? values_.erase(at) : std::next(at);
    }
    memory_.force_resize(bytes);
}

void WaitingValues::end(std::optional<AppendError> error) noexcept {
    for (const DurableState::Done& done : done_) done(error);
    done_.clear();
}

}  // namespace sluice::store
