// A Document for tests: pugixml's plain reading of a text, with no prefixes changed and nothing refused.
#pragma once

#include <algorithm>
#include <memory>
#include <pugixml.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "protocol/feed/item/fields.hpp"
#include "protocol/feed/model/document.hpp"
#include "protocol/feed/model/event.hpp"
#include "protocol/feed/model/pugi_tree.hpp"

namespace sluice {

class TreeDocument final : public feed::Document {
public:
    // `items`: XPath of the event elements.
    TreeDocument(const std::string& xml, const char* items, feed::FeedFormat format = feed::FeedFormat::xml)
        : format_(format), text_(std::make_shared<const std::string>(xml)) {
        pugi::xml_document tree;
        if (!tree.load_string(xml.c_str(), feed::feed_parse_flags)) throw std::invalid_argument(xml);
        const pugi::xpath_node_set selected = tree.select_nodes(items);
        for (const pugi::xml_node child : tree) add(child, selected);
        tree_.finish();
        feed_fields_ = feed::read_feed_fields(*this);
    }

    feed::FeedFormat format() const override { return format_; }
    const feed::Tree& tree() const override { return tree_; }
    std::span<const feed::Item> items() const override { return items_; }
    feed::TreeNode feed() const override { return items_.empty() ? tree_.root() : items_[0].element.parent(); }
    const feed::FeedFields& feed_fields() const override { return feed_fields_; }
    const std::shared_ptr<const std::string>& text() const override { return text_; }

private:
    void add(pugi::xml_node node, const pugi::xpath_node_set& items) {
        const auto leaf = [&](feed::NodeType type) { tree_.leaf(type, tree_.keep(node.value())); };
        switch (node.type()) {
            case pugi::node_pcdata:
                return leaf(feed::NodeType::text);
            case pugi::node_cdata:
                return leaf(feed::NodeType::cdata);
            case pugi::node_comment:
                return leaf(feed::NodeType::comment);
            case pugi::node_pi:
                return tree_.leaf(feed::NodeType::instruction,
                                  tree_.keep(std::string(node.name()) + " " + node.value()));
            default:
                break;
        }
        const feed::TreeNode element = tree_.open(tree_.keep(node.name()));
        for (const pugi::xml_attribute each : node.attributes())
            tree_.attribute(tree_.keep(each.name()), tree_.keep(each.value()));
        if (std::find(items.begin(), items.end(), pugi::xpath_node(node)) != items.end())
            items_.push_back({element, {}});
        for (const pugi::xml_node child : node) add(child, items);
        tree_.close();
    }

    feed::FeedFormat format_;
    std::shared_ptr<const std::string> text_;
    feed::Tree tree_{0, 0};
    std::vector<feed::Item> items_;
    feed::FeedFields feed_fields_;
};

inline feed::Event tree_event(const std::string& xml, const char* items, std::size_t index = 0) {
    return {std::make_shared<TreeDocument>(xml, items), index, std::make_shared<const std::string>("news"), 7};
}

}  // namespace sluice
