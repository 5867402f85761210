// A Document for tests: pugixml's plain reading of a text, with no prefixes changed and nothing refused.
#pragma once

#include <memory>
#include <pugixml.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "protocol/feed/item/fields.hpp"
#include "protocol/feed/model/document.hpp"
#include "protocol/feed/model/event.hpp"

namespace sluice {

class TreeDocument final : public feed::Document {
public:
    // `items`: XPath of the event elements.
    TreeDocument(const std::string& xml, const char* items, feed::FeedFormat format = feed::FeedFormat::xml)
        : format_(format), text_(std::make_shared<const std::string>(xml)) {
        if (!tree_.load_string(xml.c_str(), feed::feed_parse_flags)) throw std::invalid_argument(xml);
        for (const pugi::xpath_node& node : tree_.select_nodes(items)) items_.push_back({node.node(), {}});
        feed_fields_ = feed::read_feed_fields(*this);
    }

    feed::FeedFormat format() const override { return format_; }
    const pugi::xml_document& tree() const override { return tree_; }
    std::span<const feed::Item> items() const override { return items_; }
    pugi::xml_node feed() const override {
        return items_.empty() ? tree_.document_element() : items_[0].element.parent();
    }
    const feed::FeedFields& feed_fields() const override { return feed_fields_; }
    const std::shared_ptr<const std::string>& text() const override { return text_; }

private:
    feed::FeedFormat format_;
    std::shared_ptr<const std::string> text_;
    pugi::xml_document tree_;
    std::vector<feed::Item> items_;
    feed::FeedFields feed_fields_;
};

inline feed::Event tree_event(const std::string& xml, const char* items, std::size_t index = 0) {
    return {std::make_shared<TreeDocument>(xml, items), index, std::make_shared<const std::string>("news"), 7};
}

}  // namespace sluice
