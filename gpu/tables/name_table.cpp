#include "gpu/tables/name_table.hpp"

namespace sluice {

std::uint32_t NameTable::intern(std::string_view name) {
    if (const auto known = ids_.find(name); known != ids_.end()) return known->second;
    const auto id = static_cast<std::uint32_t>(names_.size());
    names_.emplace_back(name);
    ids_.emplace(names_.back(), id);
    return id;
}

const std::shared_ptr<const Dictionary>& NameTable::snapshot() {
    if (snapshot_->names.size() != names_.size()) snapshot_ = std::make_shared<Dictionary>(Dictionary{epoch_, names_});
    return snapshot_;
}

}  // namespace sluice
