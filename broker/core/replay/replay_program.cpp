#include "broker/core/replay/replay_program.hpp"

#include <algorithm>
#include <utility>

#include "gpu/check/check.hpp"

namespace sluice::broker {

void ReplayProgram::add(Reader& reader, std::vector<Subscription> subscriptions) {
    try {
        std::vector<Entries::value_type*>& held = held_[&reader];
        held.reserve(subscriptions.size());
        for (std::uint32_t i = 0; i < subscriptions.size(); ++i) {
            const auto [entry, is_new] = entries_.try_emplace(std::move(subscriptions[i].key));
            if (is_new) {
                try {
                    slots_.resize(std::max(slots_.size(), entries_.size()));  // slots are dense
                    entry->second.id = set_->add(subscriptions[i].disjunction);
                } catch (...) {
                    entries_.erase(entry);
                    throw;
                }
                program_.reset();
                SLUICE_CHECK(entry->second.id.slot < slots_.size());
                slots_[entry->second.id.slot] = &*entry;
            }
            held.push_back(&*entry);
            entry->second.users.push_back({&reader, i});
        }
    } catch (...) {
        remove(reader);
        throw;
    }
}

void ReplayProgram::remove(const Reader& reader) noexcept {
    const auto held = held_.find(&reader);
    if (held == held_.end()) return;
    std::vector<Entries::value_type*>& entries = held->second;
    std::sort(entries.begin(), entries.end());
    entries.erase(std::unique(entries.begin(), entries.end()), entries.end());  // some of its filters may be equal
    for (Entries::value_type* const entry : entries) {
        std::vector<User>& users = entry->second.users;
        std::erase_if(users, [&](const User& user) { return user.reader == &reader; });
        if (!users.empty()) continue;
        set_->remove(entry->second.id);
        slots_[entry->second.id.slot] = nullptr;
        entries_.erase(entries_.find(entry->first));
        program_.reset();
    }
    held_.erase(held);
}

const engine::Program& ReplayProgram::program() {
    if (program_ == nullptr) program_ = set_->compile();
    return *program_;
}

const std::vector<ReplayProgram::User>& ReplayProgram::users(engine::SubscriptionId id) const {
    SLUICE_CHECK(id.slot < slots_.size() && slots_[id.slot] != nullptr);
    return slots_[id.slot]->second.users;
}

}  // namespace sluice::broker
