#include "protocol/feed/xml/plain_vocabulary.hpp"

#include <catch2/catch.hpp>

using namespace sluice::feed;
using Vocabulary = KnownNamespace::Vocabulary;

namespace {

const KnownNamespace* const atom = find_customary_prefix("atom");
const KnownNamespace* const rss = find_customary_prefix("rss");
const KnownNamespace* const rdf = find_customary_prefix("rdf");
const KnownNamespace* const xhtml = find_customary_prefix("xhtml");
constexpr QName plain(std::string_view name) { return {name, {}, name}; }
const QName prefixed = {"x:feed", "x", "feed"};

}  // namespace

TEST_CASE("a feed's root says whose names have no prefix") {
    CHECK(plain_vocabulary(plain("rss"), true, nullptr, nullptr) == Vocabulary::rss);
    CHECK(plain_vocabulary(plain("RSS"), true, nullptr, nullptr) == Vocabulary::rss);
    CHECK(plain_vocabulary(plain("RDF"), true, rdf, rss) == Vocabulary::rss);
    CHECK(plain_vocabulary(plain("RDF"), true, rdf, nullptr) == Vocabulary::rss);
    CHECK(plain_vocabulary(plain("feed"), true, atom, atom) == Vocabulary::atom);
    CHECK(plain_vocabulary(plain("feed"), true, nullptr, nullptr) == Vocabulary::atom);
    CHECK(plain_vocabulary(prefixed, true, atom, nullptr) == Vocabulary::atom);
    CHECK(plain_vocabulary(prefixed, true, nullptr, nullptr) == Vocabulary::atom);
    CHECK(plain_vocabulary(plain("entry"), true, atom, atom) == Vocabulary::atom);
    CHECK(plain_vocabulary(plain("item"), true, nullptr, nullptr) == Vocabulary::rss);
    CHECK_FALSE(plain_vocabulary(plain("shop"), true, atom, atom));
}

TEST_CASE("RSS in Atom's namespace, by mistake, has Atom's names without a prefix") {
    CHECK(plain_vocabulary(plain("rss"), true, atom, atom) == Vocabulary::atom);
    CHECK(plain_vocabulary(plain("RDF"), true, rdf, atom) == Vocabulary::atom);
}

TEST_CASE("a feed inside another document has its vocabulary's name") {
    CHECK(plain_vocabulary(plain("rss"), false, nullptr, nullptr) == Vocabulary::rss);
    CHECK(plain_vocabulary(plain("feed"), false, atom, atom) == Vocabulary::atom);
    CHECK(plain_vocabulary(prefixed, false, atom, nullptr) == Vocabulary::atom);
    CHECK(plain_vocabulary(plain("feed"), false, nullptr, nullptr) == Vocabulary::atom);
    CHECK(plain_vocabulary(plain("RDF"), false, rdf, rss) == Vocabulary::rss);
    CHECK_FALSE(plain_vocabulary(prefixed, false, nullptr, nullptr));
    CHECK_FALSE(plain_vocabulary(plain("feed"), false, xhtml, xhtml));
    CHECK_FALSE(plain_vocabulary(plain("feed"), false, rdf, nullptr));
    CHECK_FALSE(plain_vocabulary(plain("rdf"), false, nullptr, nullptr));
    CHECK_FALSE(plain_vocabulary(plain("entry"), false, atom, atom));
    CHECK_FALSE(plain_vocabulary(plain("item"), false, nullptr, nullptr));
}
