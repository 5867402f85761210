#include <filesystem>
#include <fstream>
#include <iterator>

#include "protocol/feed/item/fields.hpp"
#include "tests/support/skip.hpp"
#include "tests/support/source_folder.hpp"
#include "tests/unit/protocol/feed/parse_support.hpp"

using namespace sluice;
using namespace sluice::feed;

namespace {

const std::filesystem::path feeds = testing::shared_folder("feeds");

std::string read_file(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("feeds as they are found in the wild") {
    struct Case {
        const char* file;
        FeedFormat format;
        std::size_t items;
    };
    const Case cases[] = {
        {"AmazonWebServicesBlog.xml", FeedFormat::atom, 10},
        {"AtomFeedWithSpacesAroundEquals.xml", FeedFormat::atom, 1},
        {"CRE.xml", FeedFormat::rss, 30},
        {"DuplicateContentAtomFeed.xml", FeedFormat::atom, 10},
        {"HREFConsideredHarmful.xml", FeedFormat::rdf, 10},
        {"HuffPostCanada.xml", FeedFormat::rss, 2},
        {"RSSWithComments.xml", FeedFormat::rss, 30},
        {"SamRuby.xml", FeedFormat::atom, 20},
        {"TechCrunch.xml", FeedFormat::rss, 20},
        {"TypePadNews.xml", FeedFormat::atom, 10},
        {"a10.xml", FeedFormat::rss, 5},
        {"google_alerts_atom.xml", FeedFormat::atom, 20},
        {"itunes.xml", FeedFormat::rss, 3},
        {"json_feed.json", FeedFormat::json, 20},
    };
    if (!std::filesystem::exists(feeds)) {
        sluice::testing::skip("there is no folder ../shared/feeds");
        return;
    }
    for (const Case& c : cases) {
        INFO(c.file);
        const DocumentPtr document = parsed(read_file(feeds / c.file));
        CHECK(document->format() == c.format);
        CHECK(document->items().size() == c.items);
        for (const Item& item : document->items()) {
            const char* begin = c.format == FeedFormat::json ? "{" : c.format == FeedFormat::atom ? "<entry" : "<item";
            CHECK(item.source.starts_with(begin));
            CHECK(item.source.ends_with(c.format == FeedFormat::json ? '}' : '>'));
            const Fields fields = read_fields(*document, item);
            CHECK(fields.title);
            CHECK(fields.link);
            CHECK((fields.summary || fields.content));
            CHECK((fields.published.value_or(0) > 1e9 || fields.updated.value_or(0) > 1e9));
        }
    }
    // These two are not well-formed.
    CHECK(refused(read_file(feeds / "InvalidDateFormat.xml")).message ==
          "the document ends inside <rss>, which begins in line 1");
    CHECK(refused(read_file(feeds / "ITunesWithSingleQuotedAttributes.xml")).message ==
          "</channel> where <itunes:category> of line 20 is still open");
}
