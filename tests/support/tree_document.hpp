// A Document for tests that is pugixml's own reading of a text: no prefixes are changed, nothing is refused.
#pragma once

#include <pugixml.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "protocol/feed/document.hpp"
#include "protocol/feed/event.hpp"
#include "protocol/feed/fields.hpp"

namespace sluice {

class TreeDocument final : public Document {
public:
    // `items`: XPath of the event elements.
    TreeDocument(const std::string& xml, const char* items, FeedFormat format = FeedFormat::xml) : format_(format) {
        if (!tree_.load_string(xml.c_str(), feed_parse_flags)) throw std::invalid_argument(xml);
        for (const pugi::xpath_node& node : tree_.select_nodes(items)) items_.push_back({node.node(), {}});
        feed_fields_ = read_feed_fields(*this);
    }

    FeedFormat format() const override { return format_; }
    const pugi::xml_document& tree() const override { return tree_; }
    std::span<const Item> items() const override { return items_; }
    pugi::xml_node feed() const override {
        return items_.empty() ? tree_.document_element() : items_[0].element.parent();
    }
    const FeedFields& feed_fields() const override { return feed_fields_; }

private:
    FeedFormat format_;
    pugi::xml_document tree_;
    std::vector<Item> items_;
    FeedFields feed_fields_;
};

inline Event tree_event(const std::string& xml, const char* items, std::size_t index = 0) {
    return {std::make_shared<TreeDocument>(xml, items), index, std::make_shared<const std::string>("news"), 7};
}

}  // namespace sluice
