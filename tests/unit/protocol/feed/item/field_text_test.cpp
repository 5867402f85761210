#include "protocol/feed/item/field_text.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "tests/support/seed.hpp"
#include "tests/support/skip.hpp"
#include "tests/support/source_folder.hpp"
#include "tests/unit/protocol/feed/parse_support.hpp"

using namespace sluice;
using namespace sluice::feed;

namespace {

constexpr FieldPath paths[] = {"title",
                               "media:title",
                               "media:group/media:title",
                               "media:group/media:content/media:title",
                               "link",
                               "@href",
                               "guid",
                               "id",
                               "author",
                               "dc:creator",
                               "source/author",
                               "pubDate",
                               "published",
                               "dc:date",
                               "updated",
                               "description",
                               "summary",
                               "content:encoded",
                               "content",
                               "category",
                               "itunes:category",
                               "@id",
                               "none"};

// The definition: all elements at the path, in document order.
void add_elements(TreeNode parent, std::string_view path, std::vector<TreeNode>& elements) {
    const std::size_t slash = path.find('/');
    for (const TreeNode child : parent.children()) {
        if (!child.is_element() || child.name() != path.substr(0, slash)) continue;
        if (slash == std::string_view::npos)
            elements.push_back(child);
        else
            add_elements(child, path.substr(slash + 1), elements);
    }
}

// The texts of each path's elements, path by path.
std::vector<std::string> plain_texts(TreeNode element, FieldPaths wanted) {
    std::vector<std::string> texts;
    TextBlocks made;
    for (const FieldPath& path : wanted.paths) {
        if (path.is_attribute()) {
            if (const auto text = non_empty(element.attribute(path.text.substr(1)).value())) texts.emplace_back(*text);
            continue;
        }
        std::vector<TreeNode> elements;
        add_elements(element, path.text, elements);
        for (const TreeNode each : elements)
            if (const auto text = text_of(each, made)) texts.emplace_back(*text);
    }
    return texts;
}

std::vector<std::string> texts_of(const FieldParent& parent, FieldPaths wanted) {
    std::vector<std::string> texts;
    visit_texts(parent, wanted, text_of, [&](std::string_view text) {
        texts.emplace_back(text);
        return false;
    });
    return texts;
}

void check_fields_of(TreeNode element) {
    TextBlocks texts;
    const FieldChildren children(element);
    const FieldParent walked(element, texts, children), searched(element, texts);
    for (const FieldPath& path : paths) {
        INFO(path.text);
        if (path.is_attribute()) continue;
        std::vector<TreeNode> elements;
        add_elements(element, path.text, elements);
        const TreeNode first = elements.empty() ? TreeNode() : elements.front();
        CHECK(walked.find(path) == first);
        CHECK(searched.find(path) == first);
        for (std::size_t i = 0; path.is_name() && i < elements.size(); ++i) {
            const TreeNode next = i + 1 < elements.size() ? elements[i + 1] : TreeNode();
            CHECK(walked.next(elements[i], path) == next);
            CHECK(searched.next(elements[i], path) == next);
        }
        CHECK(first_text(walked, {{path}}) == first_text(searched, {{path}}));
    }
    CHECK(texts_of(walked, paths) == plain_texts(element, paths));
    CHECK(texts_of(searched, paths) == plain_texts(element, paths));
}

void check_fields_of_items(const std::filesystem::path& file) {
    INFO(file);
    std::ifstream stream(file, std::ios::binary);
    const auto document = parse_document({std::istreambuf_iterator<char>(stream), {}}, {});
    if (!document) return;
    for (const Item& item : (*document)->items()) check_fields_of(item.element);
}

}  // namespace

TEST_CASE("FieldChildren: random elements → the fields that a search finds") {
    std::mt19937 random(static_cast<unsigned>(testing::seed(23)));
    const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
    std::vector<std::string> names;  // of the paths, and others in their slots
    for (const FieldPath& path : paths)
        for (std::size_t at = 0, end = 0; end != std::string_view::npos && !path.is_attribute(); at = end + 1) {
            end = path.text.find('/', at);
            names.emplace_back(path.text.substr(at, end - at));
        }
    for (std::size_t i = 0; i < 30; ++i) {
        std::string name = names[i % names.size()];
        std::string other = name;
        do {
            for (char& c : other) c = static_cast<char>('a' + below(26));
        } while (name_slot(other) != name_slot(name));
        names.push_back(other);
    }
    for (int round = 0; round < 3'000; ++round) {
        Tree tree;
        const auto add = [&](const auto& self, std::size_t depth) -> void {
            for (std::size_t n = below(depth == 0 ? 20 : 4); n > 0; --n) {
                const std::string_view texts[] = {" ", "text", " two words\n", "", "<&"};
                if (below(4) == 0) tree.leaf(below(2) == 0 ? NodeType::text : NodeType::cdata, texts[below(5)]);
                if (below(9) == 0) tree.leaf(NodeType::comment, "comment");
                tree.open(names[below(names.size())]);
                if (below(4) == 0) tree.attribute(below(2) == 0 ? "href" : "id", texts[below(5)]);
                if (below(4) != 0) tree.leaf(below(2) == 0 ? NodeType::text : NodeType::cdata, texts[below(5)]);
                if (depth < 3 && below(3) == 0) self(self, depth + 1);
                tree.close();
            }
        };
        const TreeNode item = tree.open("item");
        if (below(2) == 0) tree.attribute("href", "there");
        add(add, 0);
        tree.close();
        tree.finish();
        check_fields_of(item);
    }
}

TEST_CASE("FieldChildren: examples → the fields that a search finds") {
    const auto examples = testing::source_folder() / "docker" / "examples";
    for (const auto& entry : std::filesystem::directory_iterator(examples)) check_fields_of_items(entry.path());
}

TEST_CASE("FieldChildren: feeds as they are found in the wild → the fields that a search finds") {
    const auto feeds = testing::shared_folder("feeds");
    if (!std::filesystem::exists(feeds)) {
        testing::skip("there is no folder ../shared/feeds");
        return;
    }
    for (const auto& entry : std::filesystem::directory_iterator(feeds)) check_fields_of_items(entry.path());
}
