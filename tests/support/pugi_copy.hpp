// A copy of a document's tree that pugixml's XPath can be asked about.
#pragma once

#include <pugixml.hpp>
#include <vector>

#include "protocol/feed/model/document.hpp"
#include "protocol/feed/model/pugi_tree.hpp"

namespace sluice {

class PugiCopy {
public:
    explicit PugiCopy(const feed::Document& document) : copy_(document.tree()) {
        for (const pugi::xpath_node& node : copy_.document().select_nodes("//*")) elements_.push_back(node.node());
        for (const feed::Item& item : document.items()) items_.push_back(of(item.element));
    }

    const pugi::xml_document& tree() const { return copy_.document(); }
    pugi::xml_node of(feed::TreeNode element) const { return elements_.at(element.element_number()); }
    const std::vector<pugi::xml_node>& items() const { return items_; }

private:
    feed::PugiTree copy_;
    std::vector<pugi::xml_node> elements_;  // by number
    std::vector<pugi::xml_node> items_;
};

}  // namespace sluice
