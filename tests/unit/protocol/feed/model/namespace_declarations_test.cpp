#include "protocol/feed/model/namespace_declarations.hpp"

#include <catch2/catch.hpp>

#include "protocol/feed/model/source_context.hpp"
#include "tests/unit/protocol/feed/parse_support.hpp"

using namespace sluice::feed;

namespace {

// The namespace that the prefix has around the element that begins with `element`.
std::string namespace_around(const std::string& text, const char* element, const char* prefix) {
    const DocumentPtr document = parsed(text);
    const NamespaceDeclarations& declarations = document->source_context().namespaces;
    const auto* found = declarations.find(declarations.around(document->text()->find(element)), prefix);
    return found == nullptr ? "none" : std::string(found->uri);
}

}  // namespace

TEST_CASE("the declarations around an element, and not its own") {
    const std::string text =
        "<a xmlns='u' xmlns:p='v'><b xmlns:p='w'><c xmlns=''/><d/></b><e/><f xmlns:q='&amp;x'><g/></f></a>";
    CHECK(namespace_around(text, "<a", "") == "none");
    CHECK(namespace_around(text, "<b", "") == "u");
    CHECK(namespace_around(text, "<b", "p") == "v");
    CHECK(namespace_around(text, "<c", "") == "u");
    CHECK(namespace_around(text, "<c", "p") == "w");
    CHECK(namespace_around(text, "<d", "") == "u");
    CHECK(namespace_around(text, "<d", "p") == "w");
    CHECK(namespace_around(text, "<e", "p") == "v");
    CHECK(namespace_around(text, "<e", "q") == "none");
    CHECK(namespace_around(text, "<g", "q") == "&x");
    CHECK(namespace_around(text, "<g", "p") == "v");
}

TEST_CASE("a document without declarations, or that is not XML, has none") {
    CHECK(namespace_around("<a><b/></a>", "<b", "") == "none");
    CHECK(parsed("[{\"a\":1}]")->source_context().namespaces.around(1) == NamespaceDeclarations::none);
}
