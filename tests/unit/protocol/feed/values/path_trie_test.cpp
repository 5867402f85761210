#include "protocol/feed/values/path_trie.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

using namespace sluice;
using namespace sluice::feed;

TEST_CASE("a trie tells what has been added to it") {
    std::vector<std::string> names = {"a", "a/b",    "a/*",      "*/b",    "*/*/@*", "@a",    "@*",     "a/@b",
                                      ".", "text()", "a/text()", "a/b/@c", "*",      "a/*/b", "a/b/c/d"};
    PathTrie trie;
    CHECK(trie.empty());
    for (std::uint32_t i = 0; i < names.size(); ++i)
        trie.add(filter::parse_attribute(names[i])->path, {i, filter::Attribute::Function::each});
    trie.add(filter::parse_attribute("a/b")->path, {99, filter::Attribute::Function::count});
    std::size_t found = 0;
    trie.for_each([&](const auto& path, const PathReader& reader) {
        filter::Attribute attribute;
        attribute.path = path();
        attribute.function = reader.function;
        CHECK(filter::to_string(attribute) == (reader.attribute == 99 ? "count(a/b)" : names[reader.attribute]));
        ++found;
    });
    CHECK(found == names.size() + 1);
    PathTrie().for_each([](const auto&, const PathReader&) { FAIL("nothing has been added"); });
}
