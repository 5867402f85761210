#include "tests/differential/vocabulary.hpp"

#include <map>
#include <set>

namespace sluice {

namespace {

constexpr std::size_t values_max = 12, value_bytes_max = 120;

using Values = std::map<std::string, std::vector<std::string>>;

void keep(Values& values, const std::string& path, const std::string& value) {
    auto& known = values[path];
    if (known.size() < values_max && value.size() <= value_bytes_max) known.push_back(value);
}

std::string text_of(pugi::xml_node node) {
    static const pugi::xpath_query query("string()");
    return query.evaluate_string(node);
}

class Collector {
public:
    void item(pugi::xml_node element) {
        below(element, "", paths_, element);
        std::string up = "..";
        for (pugi::xml_node parent = element.parent(); parent.type() == pugi::node_element; parent = parent.parent()) {
            attributes_of(parent, up + "/", outer_);
            for (const pugi::xml_node child : parent.children()) {
                if (child.type() == pugi::node_element && child.first_child().type() == pugi::node_pcdata) {
                    keep(outer_, up + "/" + child.name(), text_of(child));
                }
                siblings(child, up);
            }
            up += "/..";
        }
        std::string path;
        for (pugi::xml_node n = element; n.type() == pugi::node_element; n = n.parent())
            path.insert(0, std::string("/") + n.name());
        item_paths_.insert(path);
    }

    Vocabulary finish() const {
        return {list(paths_),
                list(outer_),
                {elements_.begin(), elements_.end()},
                {attributes_.begin(), attributes_.end()},
                {item_paths_.begin(), item_paths_.end()}};
    }

private:
    static std::vector<VocabularyPath> list(const Values& values) {
        std::vector<VocabularyPath> paths;
        for (const auto& [path, known] : values) paths.push_back({path, known});
        return paths;
    }

    // ../item/title, ../*/title, ../../channel/@id …
    void siblings(pugi::xml_node sibling, const std::string& up) {
        const std::string path = up + "/" + sibling.name() + "/";
        attributes_of(sibling, path, outer_);
        for (const pugi::xml_node child : sibling.children()) {
            if (child.type() != pugi::node_element) continue;
            keep(outer_, path + child.name(), text_of(child));
            keep(outer_, up + "/*/" + child.name(), text_of(child));
        }
    }

    void attributes_of(pugi::xml_node node, const std::string& prefix, Values& values) {
        for (const pugi::xml_attribute a : node.attributes()) {
            if (std::string_view(a.name()).starts_with("xmlns")) continue;
            keep(values, prefix + "@" + a.name(), a.value());
            attributes_.insert(a.name());
        }
    }

    void below(pugi::xml_node node, const std::string& prefix, Values& values, pugi::xml_node item) {
        elements_.insert(node.name());
        attributes_of(node, prefix, values);
        for (const pugi::xml_node child : node.children()) {
            if (child.type() == pugi::node_pcdata || child.type() == pugi::node_cdata) {
                keep(values, prefix + "text()", child.value());
            } else if (child.type() == pugi::node_element) {
                keep(values, prefix + child.name(), text_of(child));
                below(child, prefix + child.name() + "/", values, item);
            }
        }
    }

    Values paths_, outer_;
    std::set<std::string> elements_, attributes_, item_paths_;
};

}  // namespace

Vocabulary make_vocabulary(std::span<const pugi::xml_node> items) {
    Collector collector;
    for (const pugi::xml_node item : items) collector.item(item);
    return collector.finish();
}

}  // namespace sluice
