// Remembers the last ids of dropped streams, so that their ids continue if they return. Bounded: for forgotten names
// only the highest id is kept, and any unknown stream begins above it. The caller must serialise calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "protocol/text/digest.hpp"

namespace sluice::store {

class LastIds {
public:
    // Remembers the last `names_max` names at least, and at most twice as many.
    explicit LastIds(std::size_t names_max) : names_max_(names_max) {}

    void remember(std::string_view name, std::uint64_t last_id);
    // The last id to continue from for a new or returning stream; 0: none.
    std::uint64_t last_id(std::string_view name) const;

    std::size_t size() const { return newer_.size() + older_.size(); }

private:
    using Ids = std::unordered_map<text::Digest, std::uint64_t, text::DigestHash>;

    const std::size_t names_max_;
    // When `newer_` is full, it replaces `older_`, whose names are forgotten all at once.
    Ids newer_, older_;
    std::uint64_t highest_ = 0;  // id among forgotten names
};

}  // namespace sluice::store
