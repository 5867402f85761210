#include "gpu/tables/text_table.hpp"

namespace sluice::engine {

std::uint32_t TextTable::find(std::uint64_t hash, std::uint32_t attribute, std::string_view text) const {
    return index_.find(hash, [&](std::uint32_t i) { return attributes_[i] == attribute && this->text(i) == text; });
}

std::uint32_t TextTable::find(std::uint32_t attribute, std::string_view text) const {
    return find(hash(attribute, text), attribute, text);
}

std::uint32_t TextTable::intern(std::uint32_t attribute, std::string_view text) {
    const std::uint64_t h = hash(attribute, text);
    if (const std::uint32_t known = find(h, attribute, text); known != none) return known;
    index_.make_room([this](std::uint32_t i) { return hash(attributes_[i], this->text(i)); });
    const std::uint32_t index = size();
    try {
        attributes_.push_back(attribute);
        pool_.append(text);
        ends_.push_back(pool_.size());
    } catch (...) {
        attributes_.resize(index);
        pool_.resize(ends_.back());
        throw;
    }
    index_.insert(h, index);
    return index;
}

void TextTable::shrink() {
    attributes_.shrink_to_fit();
    ends_.shrink_to_fit();
    pool_.shrink_to_fit();
}

}  // namespace sluice::engine
