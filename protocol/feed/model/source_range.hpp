// Names an item of a document by the place of its source in the document's text, which stays the same when the text is
// parsed again with other limits, or by a later version, while its index may not. Pure functions; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "protocol/feed/model/document.hpp"

namespace sluice::feed {

// In bytes of Document::text(), which is shorter than 4 GiB (limits.document_bytes is at most 1 GiB).
struct SourceRange {
    std::uint32_t offset = 0;
    std::uint32_t length = 0;

    friend bool operator==(const SourceRange&, const SourceRange&) = default;
};

// Of the document's item with this index. Items of one document differ in their offsets, which ascend in all formats:
// those that contain others begin before them.
SourceRange source_range(const Document& document, std::size_t item);

// The index of the item whose source is exactly there; none if there is no such item. Takes logarithmic time.
std::optional<std::size_t> find_item(const Document& document, SourceRange source);

}  // namespace sluice::feed
