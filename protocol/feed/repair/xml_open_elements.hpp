// The elements that are open while a document is repaired, found by their names in constant time. Belongs to one
// thread; names are views of the document's text.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "protocol/feed/xml/xml_names.hpp"

namespace sluice::feed {

struct RepairedElement {
    QName name;
    std::size_t begin = 0;     // of its start tag, in the source
    std::size_t position = 0;  // of its start tag, in the result
    std::size_t outer_bindings = 0;
    // Of an element that HTML leaves without an end tag, such as <br>: the place for the '/' that closes it at once.
    std::size_t slash_position = 0;
    bool is_void = false;  // slash_position is valid
    bool is_item = false;  // of a feed
};

class XmlOpenElements {
public:
    bool empty() const { return stack_.empty(); }
    std::size_t size() const { return stack_.size(); }
    const RepairedElement& operator[](std::size_t i) const { return stack_[i]; }
    const RepairedElement& top() const { return stack_.back(); }

    void push(const RepairedElement& element) {
        if (element.is_item) items_.push_back(stack_.size());
        places_[element.name.full].push_back(stack_.size());
        stack_.push_back(element);
    }
    void pop() { remove(stack_.size() - 1); }
    // Only an element with nothing but void ones above it: they move down.
    void remove(std::size_t i) {
        for (std::size_t k = stack_.size(); k-- > i;) forget(k);
        stack_.erase(stack_.begin() + static_cast<std::ptrdiff_t>(i));
        for (; i < stack_.size(); ++i) places_[stack_[i].name.full].push_back(i);
    }

    // The innermost element with this name.
    std::optional<std::size_t> find(std::string_view name) const {
        const auto found = places_.find(name);
        return found == places_.end() ? std::nullopt : std::optional(found->second.back());
    }
    std::optional<std::size_t> innermost_item() const {
        return items_.empty() ? std::nullopt : std::optional(items_.back());
    }
    // The innermost element that is not void; the stack's size if there is none.
    std::size_t innermost_solid() const {
        for (std::size_t i = stack_.size(); i-- > 0;) {
            if (!stack_[i].is_void) return i;
        }
        return stack_.size();
    }

private:
    void forget(std::size_t i) {
        const auto found = places_.find(stack_[i].name.full);
        found->second.pop_back();
        if (found->second.empty()) places_.erase(found);
        if (!items_.empty() && items_.back() == i) items_.pop_back();
    }

    std::vector<RepairedElement> stack_;
    std::unordered_map<std::string_view, std::vector<std::size_t>> places_;
    std::vector<std::size_t> items_;
};

}  // namespace sluice::feed
