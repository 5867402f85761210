// The values of the variables for the events of a batch, read when a condition first needs them. They are kept for
// later conditions within a bound on their memory: conditions ask about all events of a batch in turn. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>

#include "protocol/feed/model/event.hpp"
#include "protocol/filter/evaluator/evaluator.hpp"

namespace sluice::feed {

class BoundVariables {
public:
    static constexpr std::size_t bytes_max = 16u << 20;

    // Valid until the next call.
    const xpath::VariableValues& of(const Event& event);
    void forget() {
        bound_.clear();
        bytes_ = 0;
    }

    std::size_t bytes() const { return bytes_; }

private:
    struct Key {
        const Document* document;
        std::size_t index;
        const std::string* stream;
        friend bool operator==(const Key&, const Key&) = default;
    };
    struct Hash {
        std::size_t operator()(const Key& key) const {
            return std::hash<const void*>()(key.document) * 31 + key.index * 0x9e3779b9u;
        }
    };
    struct Bound {
        Event event;  // keeps the addresses in the key in use
        xpath::VariableValues values;
    };

    std::unordered_map<Key, Bound, Hash> bound_;
    std::size_t bytes_ = 0;
    std::uint64_t last_version_ = 0;
};

}  // namespace sluice::feed
