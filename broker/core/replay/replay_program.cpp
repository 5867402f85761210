#include "broker/core/replay/replay_program.hpp"

#include <algorithm>
#include <utility>

#include "gpu/check/check.hpp"

namespace sluice::broker {

void ReplayProgram::add(Reader& reader, std::vector<Subscription> subscriptions) {
    try {
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
            entry->second.users.push_back({&reader, i});
        }
    } catch (...) {
        remove(reader);
        throw;
    }
}

void ReplayProgram::remove(const Reader& reader) noexcept {
    for (Entries::value_type*& slot : slots_) {
        if (slot == nullptr) continue;
        std::vector<User>& users = slot->second.users;
        std::erase_if(users, [&](const User& user) { return user.reader == &reader; });
        if (!users.empty()) continue;
        set_->remove(slot->second.id);
        entries_.erase(entries_.find(slot->first));
        slot = nullptr;
        program_.reset();
    }
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
