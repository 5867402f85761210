// The filters of some readers, compiled into one program of the engine. Equal filters share a subscription. Belongs to
// one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "broker/core/matching/subscription.hpp"
#include "gpu/api/matcher.hpp"

namespace sluice::broker {

struct Reader;

class ReplayProgram {
public:
    struct User {
        Reader* reader = nullptr;
        std::uint32_t filter = 0;  // index among the reader's filters
    };

    ReplayProgram() : set_(engine::make_subscription_set(engine::Backend::cpu)) {}

    // Filter i of the reader is subscriptions[i]. If it throws, none is added.
    void add(Reader& reader, std::vector<Subscription> subscriptions);
    void remove(const Reader& reader) noexcept;

    // With all changes until now.
    const engine::Program& program();
    // Those whose filter the subscription is.
    const std::vector<User>& users(engine::SubscriptionId id) const;

private:
    struct Entry {
        engine::SubscriptionId id;
        std::vector<User> users;
    };
    using Entries = std::unordered_map<std::string, Entry>;

    const std::unique_ptr<engine::SubscriptionSet> set_;
    Entries entries_;                                                            // by Subscription::key
    std::unordered_map<const Reader*, std::vector<Entries::value_type*>> held_;  // entries of each reader
    std::vector<Entries::value_type*> slots_;         // by SubscriptionId::slot; null: unused
    std::shared_ptr<const engine::Program> program_;  // null: it has changed
};

}  // namespace sluice::broker
