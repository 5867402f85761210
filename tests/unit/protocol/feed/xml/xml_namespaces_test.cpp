#include "protocol/feed/xml/xml_namespaces.hpp"

#include "protocol/feed/model/tree_index.hpp"
#include "tests/unit/protocol/feed/parse_support.hpp"

using namespace sluice;
using namespace sluice::feed;
using Strings = std::vector<std::string>;

namespace {

// Each element and attribute in document order, "name uri".
Strings names_of(const std::string& text) {
    const DocumentPtr document = parsed(text);
    xpath::Meter meter;
    const TreeIndex indexed = index_tree(*document, meter);
    const xpath::DocumentIndex& index = indexed.nodes;
    Strings names;
    for (xpath::Node node = 1; node < index.size(); ++node) {
        if (index.kind(node) != xpath::NodeKind::element && index.kind(node) != xpath::NodeKind::attribute) continue;
        names.push_back(std::string(index.name_text(index.name(node))) + ' ' + std::string(index.namespace_uri(node)));
    }
    return names;
}

const std::string atom = "http://www.w3.org/2005/Atom", atom_03 = "http://purl.org/atom/ns#",
                  rss_10 = "http://purl.org/rss/1.0/", rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
                  dc = "http://purl.org/dc/elements/1.1/", mrss = "http://search.yahoo.com/mrss/",
                  mrss_old = "http://search.yahoo.com/mrss", xhtml = "http://www.w3.org/1999/xhtml";

// A start tag's declaration.
std::string as(const std::string& prefix, const std::string& uri) {
    return " xmlns" + (prefix.empty() ? "" : ":" + prefix) + "='" + uri + "'";
}

}  // namespace

TEST_CASE("Atom's names have a prefix in RSS, whatever the document calls them") {
    for (const std::string& uri : {atom, atom_03}) {
        CHECK(names_of("<rss" + as("a10", uri) + "><channel a10:x='1'><a10:link/><item/></channel></rss>") ==
              Strings{"rss ", "channel ", "atom:x " + uri, "atom:link " + uri, "item "});
        CHECK(names_of("<rss><channel><link" + as("", uri) + " x='1'><b/></link><item/></channel></rss>") ==
              Strings{"rss ", "channel ", "atom:link " + uri, "x ", "atom:b " + uri, "item "});
    }
    CHECK(names_of("<rss><channel><atom:link/><item/></channel></rss>") ==
          Strings{"rss ", "channel ", "atom:link " + atom, "item "});
}

TEST_CASE("Atom's names have no prefix in an Atom document, and keep their namespace") {
    for (const std::string& uri : {atom, atom_03}) {
        const Strings expected = {"feed " + uri, "entry " + uri, "title " + uri, "x ", "b "};
        const std::string content = "<a:title x='1'/><b" + as("", "") + "/>";
        CHECK(names_of("<feed" + as("", uri) + as("a", uri) + "><entry>" + content + "</entry></feed>") == expected);
        CHECK(names_of("<a:feed" + as("a", uri) + "><a:entry>" + content + "</a:entry></a:feed>") == expected);
        CHECK(names_of("<a:feed" + as("a", uri) + as("", "urn:u") + "><a:entry a:x='1'><b/></a:entry></a:feed>") ==
              Strings{"feed " + uri, "entry " + uri, "atom:x " + uri, "b urn:u"});
        CHECK(names_of("<a:entry" + as("a", uri) + "><a:id/></a:entry>") == Strings{"entry " + uri, "id " + uri});
    }
    CHECK(names_of("<feed" + as("a", atom) + "><entry><a:id/><id/></entry></feed>") ==
          Strings{"feed ", "entry ", "id " + atom, "id "});
    CHECK(names_of("<feed" + as("", atom) + as("o", atom_03) + "><entry><o:id/></entry></feed>") ==
          Strings{"feed " + atom, "entry " + atom, "id " + atom_03});
}

TEST_CASE("a feed inside another document decides for what is inside it") {
    CHECK(names_of("<x" + as("a", atom) + "><a:y/><a:feed><a:entry/></a:feed><a:z/></x>") ==
          Strings{"x ", "atom:y " + atom, "feed " + atom, "entry " + atom, "atom:z " + atom});
    CHECK(names_of("<x" + as("", atom) + "><feed><entry/></feed></x>") ==
          Strings{"atom:x " + atom, "feed " + atom, "entry " + atom});
    CHECK(names_of("<x" + as("a", atom) + "><rss><channel><item><a:id/></item></channel></rss></x>") ==
          Strings{"x ", "rss ", "channel ", "item ", "atom:id " + atom});
    // Only the outermost one does.
    CHECK(names_of("<rss><channel><item><feed" + as("", atom) + "/></item></channel></rss>") ==
          Strings{"rss ", "channel ", "item ", "atom:feed " + atom});
    CHECK(names_of("<shop><a:item" + as("a", atom) + "/></shop>") == Strings{"shop ", "atom:item " + atom});
}

TEST_CASE("RSS 1.0's names have a prefix outside RSS") {
    CHECK(names_of("<rdf:RDF" + as("", rss_10) + as("a", atom) + "><item><title/><a:title/></item></rdf:RDF>") ==
          Strings{"rdf:RDF " + rdf, "item " + rss_10, "title " + rss_10, "atom:title " + atom});
    CHECK(names_of("<rdf:RDF" + as("r", rss_10) + "><r:item><x/></r:item></rdf:RDF>") ==
          Strings{"rdf:RDF " + rdf, "item " + rss_10, "x "});
    CHECK(names_of("<rss" + as("r", rss_10) + "><channel><item><r:title/></item></channel></rss>") ==
          Strings{"rss ", "channel ", "item ", "title " + rss_10});
    CHECK(names_of("<feed" + as("", atom) + "><entry><title/><r:title" + as("r", rss_10) + "/></entry></feed>") ==
          Strings{"feed " + atom, "entry " + atom, "title " + atom, "rss:title " + rss_10});
    CHECK(names_of("<shop><r:item" + as("r", rss_10) + "/></shop>") == Strings{"shop ", "rss:item " + rss_10});
    const std::string rss_20 = "http://backend.userland.com/rss2";
    CHECK(names_of("<rss" + as("", rss_20) + "><channel><item/></channel></rss>") ==
          Strings{"rss " + rss_20, "channel " + rss_20, "item " + rss_20});
    CHECK(names_of("<rss" + as("", atom) + "><channel><item/></channel></rss>") ==
          Strings{"rss " + atom, "channel " + atom, "item " + atom});
}

TEST_CASE("another namespace does not have a customary prefix") {
    CHECK(names_of("<r" + as("dc", "urn:u") + as("d", dc) + "><i dc:x='1' d:x='2'><dc:y/><d:y/></i></r>") ==
          Strings{"r ", "i ", "dc_:x urn:u", "dc:x " + dc, "dc_:y urn:u", "dc:y " + dc});
    CHECK(names_of("<dc:r" + as("dc", "urn:u") + "><i><dc:x" + as("dc", dc) + "/><dc:x/></i></dc:r>") ==
          Strings{"dc_:r urn:u", "i ", "dc:x " + dc, "dc_:x urn:u"});
    CHECK(names_of("<r" + as("atom", "urn:u") + "><atom:i/></r>") == Strings{"r ", "atom_:i urn:u"});
    // An inner binding hides the outer one, as in the document.
    CHECK(names_of("<r" + as("dc", "urn:u") + "><dc:i" + as("dc", "urn:v") + "/></r>") == Strings{"r ", "dc_:i urn:v"});
    CHECK(names_of("<r" + as("x", dc) + "><x:i" + as("x", "urn:u") + "><x:j/></x:i><x:i/></r>") ==
          Strings{"r ", "x:i urn:u", "x:j urn:u", "dc:i " + dc});
}

TEST_CASE("a prefix that is made is no other one's") {
    const Strings expected = {"r ", "dc_2:i urn:u", "dc_:i urn:v"};
    CHECK(names_of("<r" + as("dc", "urn:u") + as("dc_", "urn:v") + "><dc:i/><dc_:i/></r>") == expected);
    CHECK(names_of("<r" + as("dc_", "urn:v") + as("dc", "urn:u") + "><dc:i/><dc_:i/></r>") == expected);
    CHECK(names_of("<r" + as("dc_", "urn:v") + "><x" + as("dc", "urn:u") + "><dc:i/><dc_:i/></x></r>") ==
          Strings{"r ", "x ", "dc_2:i urn:u", "dc_:i urn:v"});
    CHECK(names_of("<r" + as("dc", "urn:u") + "><x" + as("dc_", "urn:v") + "><dc:i/><dc_:i/></x></r>") ==
          Strings{"r ", "x ", "dc_:i urn:u", "dc__:i urn:v"});
    CHECK(names_of("<r" + as("dc", "urn:u") + as("dc_", "urn:v") + as("dc_2", "urn:w") + "><dc:i/></r>") ==
          Strings{"r ", "dc_3:i urn:u"});
    CHECK(names_of("<r" + as("dc_", "urn:v") + "><dc_:i/></r>") == Strings{"r ", "dc_:i urn:v"});
}

TEST_CASE("an inner binding gets the made prefix of the outer one that it hides") {
    CHECK(names_of("<r" + as("dc", "urn:u") + as("dc_", "urn:v") + "><dc:i" + as("dc", "urn:w") + "/></r>") ==
          Strings{"r ", "dc_2:i urn:w"});
}

TEST_CASE("two known namespaces with one customary prefix keep their URIs") {
    const Strings expected = {"r ", "media:i " + mrss, "media:x " + mrss_old, "media:i " + mrss_old, "media:x " + mrss};
    const std::string content = "<m:i n:x='1'/><n:i m:x='1'/>";
    CHECK(names_of("<r" + as("m", mrss) + as("n", mrss_old) + ">" + content + "</r>") == expected);
    CHECK(names_of("<r" + as("n", mrss_old) + as("m", mrss) + ">" + content + "</r>") == expected);
    CHECK(names_of("<r" + as("m", mrss) + "><m:i" + as("n", mrss_old) + " n:x='1'/><n:i" + as("n", mrss_old) +
                   " m:x='1'/></r>") == expected);
    CHECK(names_of("<r" + as("m", mrss) + "><i m:x='1' n:x='2'" + as("n", mrss_old) + "/></r>") ==
          Strings{"r ", "i ", "media:x " + mrss, "media:x " + mrss_old});
}

TEST_CASE("a prefix that is not declared has its customary namespace") {
    CHECK(names_of("<r><dc:i media:x='1'/><dc:i" + as("dc", "urn:u") + "/></r>") ==
          Strings{"r ", "dc:i " + dc, "media:x " + mrss, "dc_:i urn:u"});
    CHECK(names_of("<r" + as("m", mrss_old) + "><media:i/><m:i/></r>") ==
          Strings{"r ", "media:i " + mrss, "media:i " + mrss_old});
}

TEST_CASE("a URI is given as the document writes it") {
    CHECK(names_of("<r" + as("m", "HTTPS://search.yahoo.com/MRSS") + as("n", mrss) + "><m:i/><n:i/></r>") ==
          Strings{"r ", "media:i HTTPS://search.yahoo.com/MRSS", "media:i " + mrss});
    CHECK(names_of("<a:feed" + as("a", "http://www.w3.org/2005&#x2F;Atom") + "><a:entry/></a:feed>") ==
          Strings{"feed " + atom, "entry " + atom});
}

TEST_CASE("a default namespace with a customary prefix") {
    CHECK(names_of("<feed" + as("", atom) + "><entry><div" + as("", xhtml) + " class='c'><p/><q" + as("", "") +
                   "/></div></entry></feed>") ==
          Strings{"feed " + atom, "entry " + atom, "xhtml:div " + xhtml, "class ", "xhtml:p " + xhtml, "q "});
    CHECK(names_of("<feed" + as("", atom) + as("a", atom) + "><entry><div" + as("", xhtml) +
                   "><a:x/></div></entry></feed>") ==
          Strings{"feed " + atom, "entry " + atom, "xhtml:div " + xhtml, "x " + atom});
}

TEST_CASE("A name that was there before means what it means where it is now") {
    const std::string u = "urn:u", v = "urn:v";
    CHECK(names_of("<r" + as("p", u) + "><p:x/><b" + as("p", v) + "><p:x/><p:x/></b><p:x/><b/><p:x/></r>") ==
          Strings{"r ", "p:x " + u, "b ", "p:x " + v, "p:x " + v, "p:x " + u, "b ", "p:x " + u});
    CHECK(names_of("<r><x/><x" + as("", u) + "><x/></x><x/><x" + as("", v) + "/><x/></r>") ==
          Strings{"r ", "x ", "x " + u, "x " + u, "x ", "x " + v, "x "});
    CHECK(names_of("<r><dc:x/><b" + as("dc", u) + "><dc:x/></b><dc:x/></r>") ==
          Strings{"r ", "dc:x " + dc, "b ", "dc_:x " + u, "dc:x " + dc});
    // A feed in a feed has its own vocabulary; an item is one only as the root.
    CHECK(names_of("<w" + as("a", atom) + "><a:feed><a:entry/></a:feed><a:entry/><a:feed><a:entry/></a:feed></w>") ==
          Strings{"w ", "feed " + atom, "entry " + atom, "atom:entry " + atom, "feed " + atom, "entry " + atom});
    CHECK(names_of("<a:item" + as("a", rss_10) + "><b><a:item/></b></a:item>") ==
          Strings{"item " + rss_10, "b ", "item " + rss_10});
    // More names than are remembered, and some that share a place.
    std::string many = "<r" + as("p", u) + ">";
    Strings expected{"r "};
    for (int round = 0; round < 2; ++round) {
        for (int i = 0; i < 500; ++i) {
            const std::string name = "p:n" + std::to_string(i * i);
            many += "<" + name + "/>";
            expected.push_back(name + " " + u);
        }
    }
    CHECK(names_of(many + "</r>") == expected);
}
