// Names by id. The table only grows; to drop unused names, make a new table with the next epoch. Written by one thread;
// any thread may read the snapshots.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "gpu/api/matcher.hpp"

namespace sluice::engine {

class NameTable {
public:
    explicit NameTable(std::uint64_t epoch = 0) : epoch_(epoch), snapshot_(empty(epoch)) {}

    // A name keeps the condition of its first intern().
    std::uint32_t intern(std::string_view name, std::shared_ptr<const ScannedCondition> condition = nullptr);
    const std::string& name(std::uint32_t id) const { return names_[id]; }
    std::uint64_t epoch() const { return epoch_; }
    std::size_t size() const { return names_.size(); }
    bool contains(std::string_view name) const { return ids_.find(name) != ids_.end(); }
    // All names so far; the same pointer as last time if there is no new name.
    const std::shared_ptr<const Dictionary>& snapshot();
    // The number of names, plus one for every short_bytes of their text.
    std::size_t weight() const { return ids_.size() + text_bytes_ / short_bytes; }
    // Estimated bytes of the table, and of a name in it: with the snapshots of two programs, and with a condition.
    std::size_t bytes() const {
        return names_.size() * name_bytes("") + text_bytes_ * text_copies + scanned_ * condition_bytes;
    }
    static std::size_t name_bytes(std::string_view name) { return place_bytes + name.size() * text_copies; }

private:
    static constexpr std::size_t short_bytes = 64, place_bytes = 320, text_copies = 4;
    static constexpr std::size_t condition_bytes = 1'024;  // of a usual one

    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view name) const { return std::hash<std::string_view>{}(name); }
    };

    static std::shared_ptr<const Dictionary> empty(std::uint64_t epoch) {
        return std::make_shared<Dictionary>(Dictionary{epoch, {}, {}});
    }

    std::uint64_t epoch_;
    std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> ids_;
    std::vector<std::string> names_;
    std::size_t text_bytes_ = 0, scanned_ = 0;  // scanned_: the number of conditions
    std::vector<std::shared_ptr<const ScannedCondition>> conditions_;
    std::shared_ptr<const Dictionary> snapshot_;
};

}  // namespace sluice::engine
