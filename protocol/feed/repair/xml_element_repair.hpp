// Closes elements that have no end tag, while a document is repaired: where something else ends them, as in HTML, and
// where the document ends. Belongs to one repair.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "protocol/feed/model/repairs.hpp"
#include "protocol/feed/repair/xml_edits.hpp"
#include "protocol/feed/repair/xml_loose_tag.hpp"
#include "protocol/feed/repair/xml_open_elements.hpp"
#include "protocol/feed/repair/xml_tag_repair.hpp"

namespace sluice::feed {

class XmlElementRepair {
public:
    XmlElementRepair(XmlEdits& edits, Repairs& repairs, XmlTagRepair& tags)
        : edits_(edits), repairs_(repairs), tags_(tags) {}

    bool empty() const { return open_.empty(); }
    std::size_t size() const { return open_.size(); }
    const RepairedElement& top() const { return open_.top(); }
    const RepairedElement& innermost() const { return open_[open_.innermost_solid()]; }  // that is not void
    bool is_open(std::string_view name) const { return open_.find(name).has_value(); }

    // Opens the element of a tag that has been written; its '<' has this position in the result. A void one must have
    // been written with room in front of its '>'.
    void open(const LooseTag& tag, std::size_t position, std::size_t bindings, bool is_void);
    // Closes what the new element ends by its name: an item before the next one, what is no place for an item before an
    // item, <title> before <link>, <li> before <li>, <br> before <br>.
    void make_way_for(const LooseTag& tag);
    // The element that an end tag with this name ends; none: it ends nothing. What an item contains does not end what
    // is around it, except for the feed.
    std::optional<std::size_t> ended_by(std::string_view name) const;
    // Closes what is open around the end tag of an item, up to the items' feed, if no item is open: the name in the
    // item's start tag is faulty, and the next item must not begin inside of it.
    void leave_faulty_item(std::string_view name, std::size_t at);
    // Closes elements without an end tag until this many are open; `at` is the place in the source. An item among them
    // is left out unless everything in it is complete.
    void close_down_to(std::size_t size, std::size_t at);
    // Closes them all where the document ends. Gives the positions of their '<' in the result, outermost first.
    std::vector<std::size_t> close_all(std::size_t end);
    void pop();  // the top element has its end tag

private:
    static constexpr std::size_t item_levels_max = 16;  // between an item and its feed, while looking for the feed

    // The element that the new item belongs into, if only elements are open inside of it that contain no items.
    std::optional<std::size_t> place_for_item(std::string_view local_name) const;
    void close_void(std::size_t i);

    XmlEdits& edits_;
    Repairs& repairs_;
    XmlTagRepair& tags_;
    XmlOpenElements open_;
};

}  // namespace sluice::feed
