#include "protocol/text/stream_selection.hpp"

#include <catch2/catch.hpp>
#include <initializer_list>

using sluice::text::StreamSelection;

namespace {

using Texts = std::vector<std::string>;

StreamSelection select_streams(const Texts& patterns) { return StreamSelection(patterns); }

}  // namespace

TEST_CASE("patterns of streams are names, prefixes that end with a dot and an asterisk, and an asterisk") {
    for (const char* pattern : {"*", "default", "news.en", "news.*", "news.en.*", "news..*", "-.*", "A-Z_0.9"})
        CHECK(StreamSelection::is_pattern(pattern));
    for (const char* other : {"", ".", "..", "-", ".*", "*.*", "news*", "*news", "ne*ws", "news.**", "news.*.en",
                              "ne ws.*", "news/*", "n\xC3\xA9ws"})
        CHECK_FALSE(StreamSelection::is_pattern(other));
    CHECK(StreamSelection::is_pattern(std::string(128, 'x')));
    CHECK_FALSE(StreamSelection::is_pattern(std::string(129, 'x')));
    CHECK(StreamSelection::is_pattern(std::string(126, 'x') + ".*"));  // for names with one character more
    CHECK_FALSE(StreamSelection::is_pattern(std::string(127, 'x') + ".*"));
}

TEST_CASE("no pattern, and an asterisk among others, select all streams") {
    for (const Texts& patterns : {Texts{}, Texts{"*"}, Texts{"a", "*", "b.*"}}) {
        const StreamSelection all = select_streams(patterns);
        CHECK(all.is_all());
        CHECK(all.single().empty());
        CHECK(all.matches("a"));
        CHECK(all.matches("b.c"));
        CHECK(all == StreamSelection());
    }
}

TEST_CASE("a selection with one name is of a single stream, and only that") {
    CHECK(select_streams({"a"}).single() == "a");
    CHECK(select_streams({"a", "a"}).single() == "a");
    CHECK(select_streams({"a", "b"}).single().empty());
    CHECK(select_streams({"a.*"}).single().empty());
    CHECK(select_streams({"a.*", "a.b"}).single().empty());
    CHECK_FALSE(select_streams({"a"}).is_all());
}

TEST_CASE("names select their streams, prefixes all that begin with them and their dot") {
    const StreamSelection selection = select_streams({"weather", "news.*"});
    for (const char* stream : {"weather", "news.en", "news.en.us", "news."}) CHECK(selection.matches(stream));
    for (const char* stream : {"weather.en", "weathe", "news", "newsletter", "old.news.en", ""})
        CHECK_FALSE(selection.matches(stream));
}

TEST_CASE("what another pattern includes is left out, and the order of patterns makes no difference") {
    const StreamSelection selection =
        select_streams({"b", "news.en", "news.*", "a", "news.en.*", "b", "news.de", "new.*", "newsx", "news.*"});
    CHECK(selection.names() == Texts{"a", "b", "newsx"});
    CHECK(selection.prefixes() == Texts{"new.", "news."});
    CHECK(selection == select_streams({"newsx", "news.*", "new.*", "b", "a"}));
    CHECK_FALSE(selection == select_streams({"newsx", "news.*", "b", "a"}));
}

TEST_CASE("a prefix is left out whose including one is not just before it in order") {
    CHECK(select_streams({"a.*", "a.-.*", "a.b.*", "a.b.c.*", "a..*"}).prefixes() == Texts{"a."});
}

TEST_CASE("a selection includes the patterns and selections whose streams are all among its own") {
    const StreamSelection selection = select_streams({"weather", "news.*"});
    for (const char* pattern : {"weather", "news.en", "news.*", "news.en.*", "news."})
        CHECK(selection.includes(pattern));
    for (const char* pattern : {"*", "weather.*", "news", "new.*", "newsletter", "n.*"})
        CHECK_FALSE(selection.includes(pattern));
    for (const Texts& others : {Texts{"weather"}, Texts{"news.en", "news.de.*"}, Texts{"news.*", "weather"}})
        CHECK(selection.includes(select_streams(others)));
    for (const Texts& others : {Texts{}, Texts{"weather", "a"}, Texts{"news.*", "new.*"}})
        CHECK_FALSE(selection.includes(select_streams(others)));
    for (const Texts& others : {Texts{}, Texts{"a"}, Texts{"a.*"}})
        CHECK(StreamSelection().includes(select_streams(others)));
}

TEST_CASE("what two selections have in common are the patterns of one that the other includes") {
    const auto shared = [](const Texts& a, const Texts& b) {
        const Texts found = common(select_streams(a), select_streams(b));
        CHECK(common(select_streams(b), select_streams(a)) == found);
        return found;
    };
    CHECK(shared({"*"}, {"*"}) == Texts{"*"});
    CHECK(shared({"*"}, {"a", "news.*"}) == Texts{"a", "news.*"});
    CHECK(shared({"a", "b", "news.*"}, {"b", "c", "news.*"}) == Texts{"b", "news.*"});
    CHECK(shared({"news.*", "new.*"}, {"news.en.*", "news.de", "new.a", "newsletter"}) ==
          Texts{"new.a", "news.de", "news.en.*"});
    CHECK(shared({"a", "news.*"}, {"b", "news", "new.*"}).empty());
}
