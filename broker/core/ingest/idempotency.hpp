// Remembers the replies to publications that came with an Idempotency-Key, so that a retry gets the first reply again
// and publishes nothing (draft-ietf-httpapi-idempotency-key-header). Bounded by number for each client and stream, by
// age, and by a share of the memory budget; the oldest are forgotten first. Any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "broker/base/memory/memory_budget.hpp"
#include "protocol/text/digest.hpp"

namespace sluice::broker {

class IdempotencyKeys : public std::enable_shared_from_this<IdempotencyKeys> {
public:
    using Clock = std::chrono::steady_clock;

    struct Settings {
        std::size_t keys_max;              // of one scope
        std::chrono::microseconds window;  // since the reply
    };

    // A key in use by a publication. Forgets the key when it is destroyed, unless the publication has succeeded.
    class Claim {
    public:
        Claim() = default;
        Claim(Claim&&) = default;
        Claim& operator=(Claim&& other) noexcept {
            std::swap(keys_, other.keys_);
            std::swap(id_, other.id_);
            return *this;
        }
        ~Claim() {
            if (keys_) keys_->forget(id_);
        }

        // Remembers the reply. Without memory for it, the key is forgotten.
        void keep(const std::string& reply, Clock::time_point now = Clock::now()) noexcept;

    private:
        friend class IdempotencyKeys;
        Claim(std::shared_ptr<IdempotencyKeys> keys, const text::Digest& id) : keys_(std::move(keys)), id_(id) {}

        std::shared_ptr<IdempotencyKeys> keys_;  // a claim may outlive the daemon's other parts
        text::Digest id_{};
    };

    enum class State : std::uint8_t {
        begun,        // the caller publishes, with the claim
        replayed,     // published before, with this reply
        in_progress,  // the first publication with this key has no reply yet
        mismatch,     // the key belongs to another request
        no_memory,
    };
    struct Answer {
        State state;
        Claim claim{};        // begun
        std::string reply{};  // replayed
    };

    // Held by a shared_ptr. The budget must outlive the keys and their claims.
    IdempotencyKeys(const Settings& settings, base::MemoryBudget& memory) : settings_(settings), memory_(memory) {}

    // `scope` is who publishes where, `request` is a digest of what is to be published.
    Answer begin(std::string_view scope, std::string_view key, const text::Digest& request,
                 Clock::time_point now = Clock::now());

    std::size_t size() const;

private:
    using Order = std::list<text::Digest>;  // of the keys with a reply, the oldest first

    struct Entry {
        text::Digest scope, request;
        base::MemoryCharge memory;
        bool is_done = false;
        std::string reply{};
        Clock::time_point done_at{};
        Order::iterator in_all{}, in_scope{};  // once it is done
    };
    using Entries = std::unordered_map<text::Digest, Entry, text::DigestHash>;

    void keep(const text::Digest& id, const std::string& reply, Clock::time_point now) noexcept;
    void forget(const text::Digest& id) noexcept;
    void erase(Entries::iterator entry) noexcept;
    void forget_before(Clock::time_point time) noexcept;
    bool make_room(std::size_t bytes) noexcept;
    base::MemoryCharge charge(std::size_t bytes) noexcept;

    const Settings settings_;
    base::MemoryBudget& memory_;
    mutable std::mutex mutex_;
    Entries entries_;
    Order all_;
    std::unordered_map<text::Digest, Order, text::DigestHash> by_scope_;
    std::size_t bytes_ = 0;  // of all charges
};

}  // namespace sluice::broker
