// Names by id, growing only; whoever needs less makes a new table with the next epoch. Written by one thread; the
// snapshots may be read by any.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "gpu/matcher.hpp"

namespace sluice {

class NameTable {
public:
    explicit NameTable(std::uint64_t epoch = 0) : epoch_(epoch), snapshot_(empty(epoch)) {}

    std::uint32_t intern(std::string_view name);
    const std::string& name(std::uint32_t id) const { return names_[id]; }
    std::uint64_t epoch() const { return epoch_; }
    // All names so far; the same pointer as the last time if there is no new one.
    const std::shared_ptr<const Dictionary>& snapshot();
    std::size_t size() const { return ids_.size(); }

private:
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view name) const { return std::hash<std::string_view>{}(name); }
    };

    static std::shared_ptr<const Dictionary> empty(std::uint64_t epoch) {
        return std::make_shared<Dictionary>(Dictionary{epoch, {}});
    }

    std::uint64_t epoch_;
    std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> ids_;
    std::vector<std::string> names_;
    std::shared_ptr<const Dictionary> snapshot_;
};

}  // namespace sluice
