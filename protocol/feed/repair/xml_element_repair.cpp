#include "protocol/feed/repair/xml_element_repair.hpp"

#include <string>

#include "protocol/feed/html/html_elements.hpp"
#include "protocol/feed/xml/feed_root.hpp"

namespace sluice::feed {

void XmlElementRepair::open(const LooseTag& tag, std::size_t position, std::size_t bindings, bool is_void) {
    RepairedElement element;
    element.name = tag.name;
    element.begin = tag.begin;
    element.position = position;
    element.outer_bindings = bindings;
    element.is_void = is_void;
    element.slash_position = edits_.size() - 2;  // of the " >" that has been written
    const std::size_t parent = open_.innermost_solid();
    element.is_item = parent < open_.size() && is_feed_item(tag.name.local, open_[parent].name.local);
    open_.push(element);
}

void XmlElementRepair::make_way_for(const LooseTag& tag) {
    if (open_.empty()) return;
    const auto item = open_.innermost_item();
    if (item && open_[*item].name.full == tag.name.full) return close_down_to(*item, tag.begin);
    if (!item) {
        if (const auto place = place_for_item(tag.name.local)) return close_down_to(*place + 1, tag.begin);
    }
    const std::size_t solid = open_.innermost_solid();
    const bool is_in_item = item && solid == *item + 1;
    if (is_in_item && tag.name.prefix.empty() && open_[solid].name.prefix.empty() &&
        is_feed_text(open_[solid].name.local) && is_feed_detail(tag.name.local)) {
        return close_down_to(solid, tag.begin);
    }
    if (is_void_in_html(tag.name.full)) {
        for (std::size_t i = open_.size(); i-- > solid + 1;) {
            if (open_[i].name.full == tag.name.full) return close_void(i);
        }
    } else if (solid > 0 && open_[solid].name.full == tag.name.full && ends_at_its_like_in_html(tag.name.full)) {
        close_down_to(solid, tag.begin);
    }
}

std::optional<std::size_t> XmlElementRepair::place_for_item(std::string_view local_name) const {
    if (!is_same_name(local_name, "item") && !is_same_name(local_name, "entry")) return std::nullopt;
    for (std::size_t i = open_.size(), levels = 0; i-- > 0 && levels < item_levels_max; ++levels) {
        const RepairedElement& element = open_[i];
        if (is_feed_item(local_name, element.name.local)) return i;
        const bool holds_none = element.is_void || !element.name.prefix.empty() || is_feed_detail(element.name.local);
        if (!holds_none) return std::nullopt;
    }
    return std::nullopt;
}

std::optional<std::size_t> XmlElementRepair::ended_by(std::string_view name) const {
    const auto found = open_.find(name);
    const auto item = open_.innermost_item();
    if (found && item && *found < *item) {
        const std::string_view local = local_part(name);
        return feed_root_kind(local).empty() && !is_same_name(local, "channel") ? std::nullopt : found;
    }
    if (found) return found;
    const std::size_t solid = open_.innermost_solid();
    return is_same_name(open_[solid].name.full, name) ? std::optional(solid) : std::nullopt;
}

void XmlElementRepair::leave_faulty_item(std::string_view name, std::size_t at) {
    const std::string_view local = local_part(name);
    const bool is_end_of_item = is_same_name(local, "item") || is_same_name(local, "entry");
    if (!is_end_of_item || open_.innermost_item()) return;
    for (std::size_t i = open_.size(), levels = 0; i-- > 0 && levels < item_levels_max; ++levels) {
        if (is_feed_item(local, open_[i].name.local)) return close_down_to(i + 1, at);
    }
}

void XmlElementRepair::close_down_to(std::size_t size, std::size_t at) {
    const auto item = open_.innermost_item();
    if (item && *item >= size && open_.innermost_solid() != *item) {
        repairs_.note(RepairKind::torn_item, open_[*item].begin, "an item that ends before it is complete");
        edits_.take_back(open_[*item].position, at);
        while (open_.size() > *item) pop();
    }
    while (open_.size() > size) {
        if (open_.top().is_void) {
            close_void(open_.size() - 1);
            continue;
        }
        const RepairedElement& element = open_.top();
        const bool is_first = repairs_.is_first(RepairKind::unclosed_element);
        repairs_.note(RepairKind::unclosed_element, element.begin,
                      is_first ? "<" + excerpt(element.name.full) + "> has no end tag" : "");
        edits_.insert(at, "</" + std::string(element.name.full) + ">");
        pop();
    }
}

void XmlElementRepair::close_void(std::size_t i) {
    const bool is_first = repairs_.is_first(RepairKind::unclosed_element);
    repairs_.note(RepairKind::unclosed_element, open_[i].begin,
                  is_first ? "<" + excerpt(open_[i].name.full) + "> has no end tag" : "");
    edits_.patch(open_[i].slash_position, '/');
    open_.remove(i);
}

void XmlElementRepair::pop() {
    tags_.leave(open_.top().outer_bindings);
    open_.pop();
}

std::vector<std::size_t> XmlElementRepair::close_all(std::size_t end) {
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < open_.size(); ++i) {
        if (!open_[i].is_void) places.push_back(open_[i].position);
    }
    for (; !open_.empty(); pop()) {
        if (open_.top().is_void)
            edits_.patch(open_.top().slash_position, '/');
        else
            edits_.insert(end, "</" + std::string(open_.top().name.full) + ">");
    }
    return places;
}

}  // namespace sluice::feed
