#include "protocol/feed/model/source_range.hpp"

#include <algorithm>

namespace sluice::feed {

namespace {

std::size_t source_offset(const Document& document, const Item& item) {
    return static_cast<std::size_t>(item.source.data() - document.text()->data());
}

}  // namespace

SourceRange source_range(const Document& document, std::size_t item) {
    const Item& found = document.items()[item];
    return {static_cast<std::uint32_t>(source_offset(document, found)),
            static_cast<std::uint32_t>(found.source.size())};
}

std::optional<std::size_t> find_item(const Document& document, SourceRange source) {
    const std::span<const Item> items = document.items();
    const auto found = std::lower_bound(
        items.begin(), items.end(), source.offset,
        [&](const Item& item, std::uint32_t offset) { return source_offset(document, item) < offset; });
    const auto index = static_cast<std::size_t>(found - items.begin());
    if (found == items.end() || source_range(document, index) != source) return std::nullopt;
    return index;
}

}  // namespace sluice::feed
