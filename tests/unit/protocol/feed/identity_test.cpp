#include "protocol/feed/identity.hpp"

#include "tests/unit/protocol/feed/parse_support.hpp"

using namespace sluice;

namespace {

std::string identity(const char* text) {
    const DocumentPtr document = parsed(text);
    return item_identity(*document, document->items()[0]);
}

}  // namespace

TEST_CASE("an item is known by its id, else by its link") {
    CHECK(identity("<item><link>http://a/</link><guid> x1 </guid></item>") == "x1");
    CHECK(identity("<item><link>http://a/</link><guid/></item>") == "http://a/");
    CHECK(identity("<item><title>only</title></item>").empty());
    CHECK(identity("<entry><id>urn:1</id><link href='http://a/'/></entry>") == "urn:1");
    CHECK(identity("<entry><link rel='self' href='http://b/'/><link href='http://a/'/></entry>") == "http://a/");
    CHECK(identity(R"({"items":[{"id":17,"url":"http://a/"}]})") == "17");
    CHECK(identity(R"({"items":[{"url":"http://a/"}]})") == "http://a/");
    CHECK(identity(R"(<r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">
        <item r:about="http://a/1"><link>http://a/</link></item></r:RDF>)") == "http://a/1");
    CHECK(identity("<trades><trade id='1'><link>http://a/</link></trade></trades>").empty());
}
