// What was wrong with a document that was read all the same: for each kind of fault how often, and where first. Filled
// in while a document is repaired, immutable afterwards.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::feed {

// What happens to a document that is not well-formed.
enum class RepairMode : std::uint8_t { strict, lenient };  // refused; repaired if it is a feed or its items are whole

enum class RepairKind : std::uint8_t {
    encoding,             // the encoding named is unknown or wrong: another is taken
    bytes,                // bytes that are not text: U+FFFD
    control_character,    // a character that XML forbids: U+FFFD
    leading_content,      // text before the feed: left out
    xml_declaration,      // a faulty XML declaration: left out
    doctype,              // a faulty or misplaced declaration <!…>: left out
    ampersand,            // '&' that begins no reference: text
    entity,               // a reference to an unknown entity: text
    character_reference,  // &#…; of what is no character: U+FFFD
    less_than,            // '<' that begins no tag: text
    section_end,          // "]]>" outside a CDATA section: text
    comment,              // "--" in a comment: "- -"
    instruction,          // a faulty processing instruction, such as a second XML declaration: left out
    prefix,               // an undeclared prefix: declared
    attribute,            // a faulty attribute or tag: quoted, completed or left out
    unclosed_element,     // an element without an end tag: closed
    stray_end_tag,        // an end tag that ends nothing: left out
    torn_item,            // an item cut off by the next one: left out
    cut_off,              // the document ends too early: what is not complete is left out
    trailing_content,     // what follows the root element: left out
};
inline constexpr std::size_t repair_kinds = static_cast<std::size_t>(RepairKind::trailing_content) + 1;

// "unclosed-element"
std::string_view repair_name(RepairKind kind);

struct Repair {
    RepairKind kind = RepairKind::encoding;
    std::size_t count = 0;
    // Of the first place, in the document in UTF-8, as in FeedError.
    std::size_t offset = 0;
    std::size_t line = 1;
    std::size_t column = 1;
    std::string reason;  // one sentence, in UTF-8
};

class Repairs {
public:
    // The offset does not matter after the first of its kind. The reason may quote bytes that are not UTF-8.
    void note(RepairKind kind, std::size_t offset, std::string_view reason);
    // Whether the next note() of this kind uses its reason, which need not be made otherwise.
    bool is_first(RepairKind kind) const { return places_[static_cast<std::size_t>(kind)] == none; }
    // Computes the lines and columns of all notes since the last call; they are in this text. One pass.
    void locate(std::string_view text);

    bool empty() const { return list_.empty(); }
    std::size_t total() const;
    std::span<const Repair> list() const { return list_; }  // in the order of the first notes

private:
    static constexpr std::uint8_t none = 0xFF;
    static constexpr std::array<std::uint8_t, repair_kinds> no_places() {
        std::array<std::uint8_t, repair_kinds> places{};
        places.fill(none);
        return places;
    }

    std::vector<Repair> list_;
    std::array<std::uint8_t, repair_kinds> places_ = no_places();  // index of a kind in list_
    std::size_t located_ = 0;                                      // notes with line and column
};

// The name or value in a message: whole if it is short.
std::string excerpt(std::string_view text);

}  // namespace sluice::feed
