// Distinct (attribute, text) pairs by dense index: the operands of one family of textual predicates. Built by one
// thread; then read-only for any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/operators/substrings/pattern_texts.hpp"
#include "gpu/tables/hash.hpp"

namespace sluice::engine {

class TextTable {
public:
    std::uint32_t intern(std::uint32_t attribute, std::string_view text);
    std::uint32_t find(std::uint32_t attribute, std::string_view text) const;  // none if absent

    std::uint32_t size() const { return static_cast<std::uint32_t>(attributes_.size()); }
    std::uint32_t attribute(std::uint32_t index) const { return attributes_[index]; }
    std::string_view text(std::uint32_t index) const {
        return std::string_view(pool_).substr(ends_[index], ends_[index + 1] - ends_[index]);
    }
    std::size_t bytes() const { return pool_.size(); }  // of all texts
    substrings::PatternTexts texts() const { return {pool_.data(), ends_.data(), ends_.data() + 1}; }
    const HashIndex& index() const { return index_; }
    static std::uint64_t hash(std::uint32_t attribute, std::string_view text) { return hash_bytes(text, attribute); }
    void shrink();

private:
    std::uint32_t find(std::uint64_t hash, std::uint32_t attribute, std::string_view text) const;

    std::vector<std::uint32_t> attributes_;
    std::vector<std::size_t> ends_{0};  // text i is pool_[ends_[i] … ends_[i + 1])
    std::string pool_;
    HashIndex index_;
};

}  // namespace sluice::engine
