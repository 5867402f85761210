#include "gpu/tables/name_table.hpp"

#include <utility>

namespace sluice::engine {

std::uint32_t NameTable::intern(std::string_view name, std::shared_ptr<const ScannedCondition> condition) {
    if (const auto known = ids_.find(name); known != ids_.end()) return known->second;
    const auto id = static_cast<std::uint32_t>(names_.size());
    try {
        names_.emplace_back(name);
        conditions_.push_back(std::move(condition));
        ids_.emplace(name, id);
    } catch (...) {  // an id must stand for the same name in all three
        names_.resize(id);
        conditions_.resize(id);
        throw;
    }
    text_bytes_ += name.size();
    if (conditions_.back() != nullptr) ++scanned_;
    return id;
}

const std::shared_ptr<const Dictionary>& NameTable::snapshot() {
    if (snapshot_->names.size() != names_.size())
        snapshot_ = std::make_shared<Dictionary>(Dictionary{epoch_, names_, conditions_});
    return snapshot_;
}

}  // namespace sluice::engine
