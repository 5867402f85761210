#include "protocol/feed/model/repairs.hpp"

#include <algorithm>
#include <numeric>

#include "protocol/feed/model/text_position.hpp"
#include "protocol/text/utf8.hpp"

namespace sluice::feed {

namespace {

constexpr std::string_view repair_names[] = {
    "encoding",
    "bytes",
    "control-character",
    "leading-content",
    "xml-declaration",
    "doctype",
    "ampersand",
    "entity",
    "character-reference",
    "less-than",
    "section-end",
    "comment",
    "instruction",
    "prefix",
    "attribute",
    "unclosed-element",
    "stray-end-tag",
    "torn-item",
    "cut-off",
    "trailing-content",
};
static_assert(std::size(repair_names) == repair_kinds);

constexpr std::size_t excerpt_bytes_max = 400;

}  // namespace

std::string_view repair_name(RepairKind kind) { return repair_names[static_cast<std::size_t>(kind)]; }

void Repairs::note(RepairKind kind, std::size_t offset, std::string_view reason) {
    std::uint8_t& place = places_[static_cast<std::size_t>(kind)];
    if (place == none) {
        place = static_cast<std::uint8_t>(list_.size());
        list_.push_back({kind, 0, offset, 1, 1, text::printable_utf8(reason)});
    }
    ++list_[place].count;
}

void Repairs::locate(std::string_view text) {
    std::vector<Repair*> repairs;
    for (; located_ < list_.size(); ++located_) repairs.push_back(&list_[located_]);
    std::sort(repairs.begin(), repairs.end(), [](const Repair* a, const Repair* b) { return a->offset < b->offset; });
    TextPosition position;
    std::size_t at = 0;
    for (Repair* repair : repairs) {
        const std::size_t offset = std::min(repair->offset, text.size());
        const TextPosition further = position_in(text.substr(at), offset - at);
        position.column = further.line == 1 ? position.column + further.column - 1 : further.column;
        position.line += further.line - 1;
        at = offset;
        repair->line = position.line;
        repair->column = position.column;
    }
}

std::size_t Repairs::total() const {
    return std::accumulate(list_.begin(), list_.end(), std::size_t{0},
                           [](std::size_t sum, const Repair& repair) { return sum + repair.count; });
}

std::string excerpt(std::string_view text) { return text::shortened_utf8(text, excerpt_bytes_max); }

}  // namespace sluice::feed
