// What filters can ask of a document: the paths of its items with their values. Filters made from it are true often
// enough for a meaningful test.
#pragma once

#include <pugixml.hpp>
#include <span>
#include <string>
#include <vector>

namespace sluice {

struct VocabularyPath {
    std::string path;                 // relative to the item
    std::vector<std::string> values;  // some of them
};

struct Vocabulary {
    std::vector<VocabularyPath> paths;        // below the item
    std::vector<VocabularyPath> outer_paths;  // ../title, ../item/title …
    std::vector<std::string> elements;        // names
    std::vector<std::string> attributes;      // names
    std::vector<std::string> item_paths;      // "/rss/channel/item"
};

Vocabulary make_vocabulary(std::span<const pugi::xml_node> items);

}  // namespace sluice
