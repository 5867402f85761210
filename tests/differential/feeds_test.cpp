// Every real feed of the test data, with handwritten filters and filters made from its own values: our answers equal
// those of libxml2, which parses the feed independently.

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <sstream>

#include "protocol/feed/parse.hpp"
#include "tests/differential/oracle.hpp"
#include "tests/support/pugi_copy.hpp"
#include "tests/support/skip.hpp"
#include "tests/support/source_folder.hpp"

using namespace sluice;

namespace {

constexpr std::size_t generated_filters = 300;

// The form, as in RandomFilter, and the text.
const RandomFilter written_filters[] = {
    {"title", false},
    {"not(title)", false},
    {"link", false},
    {"category", false},
    {"count(category) > 2", false},
    {"count(category) = 0", false},
    {"category = 'Uncategorized'", false},
    {"category != 'Uncategorized'", false},
    {"not(category = 'Uncategorized')", false},
    {"category/@term and not(category/@term = 'x')", false},
    {"contains(title, 'the') or contains(title, 'The')", false},
    {"contains(description, '<p>')", false},
    {"contains(description, '&')", false},
    {"contains(content, 'http://')", false},
    {"contains(content:encoded, '<img')", false},
    {"starts-with(link, 'http')", false},
    {"starts-with(link/@href, 'http')", false},
    {"starts-with(guid, 'tag:') or starts-with(id, 'tag:')", false},
    {"guid/@isPermaLink = 'false'", false},
    {"link/@rel = 'alternate'", false},
    {"link[@rel='alternate']/@href", false},
    {"link/@rel = 'enclosure' or enclosure", false},
    {"enclosure/@length > 1000000", false},
    {"enclosure/@type = 'audio/mpeg' and enclosure/@length > 0", false},
    {"dc:creator", false},
    {"dc:creator = 'admin' or author/name = 'admin' or author = 'admin'", false},
    {"author/name or dc:creator or author", false},
    {"string-length(title) > 40", false},
    {"string-length(normalize-space(title)) < string-length(title)", false},
    {"normalize-space(title) = title", false},
    {"title = ../title", false},
    {"../title", false},
    {"contains(../title, 'a')", false},
    {"../link = link", false},
    {"../@version or ../../@version", false},
    {"../../@version = 2", false},
    {"../../@version >= 2.0", false},
    {"slash:comments > 0", false},
    {"slash:comments", false},
    {"comments", false},
    {"media:content/@url or media:group/media:content/@url or media:thumbnail", false},
    {"media:content/@width > 100", false},
    {"itunes:duration", false},
    {"itunes:author = ../itunes:author", false},
    {"itunes:explicit != 'no'", false},
    {"sum(itunes:duration) > 0", false},
    {"name() = 'item'", false},
    {"local-name() = 'entry' or local-name(..) = 'channel'", false},
    {"@*", false},
    {"*/@*", false},
    {"* = ''", false},
    {"*[1] = title", false},
    {"*[last()]/@*", false},
    {"category[2]", false},
    {"category[last()] = category[1]", false},
    {"position() = 1", false},
    {"preceding-sibling::item[3] or preceding-sibling::entry[3]", false},
    {"not(following-sibling::*)", false},
    {"count(preceding-sibling::*) mod 2 = 0", false},
    {".//@href", false},
    {"//div[p]", true},
    {".//xhtml:p or .//p", false},
    {"substring-before(link, '://') = 'https'", false},
    {"substring(pubDate, 1, 3) = 'Mon' or substring(pubDate, 1, 3) = 'Tue'", false},
    {"translate(title, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz') = title", false},
    {"published > updated", false},
    {"published = updated", false},
    {"published != updated", false},
    {"number(title) = number(title)", false},
    {"lang('en')", false},
    {"boolean(title) = boolean(link)", false},
    {"title and (link or id) and not(enclosure)", false},
    {"(title or description) and (category or dc:subject) and not(contains(title, 'zzz'))", false},
    {"//item", true},
    {"//entry", true},
    {"/rss/channel/item", true},
    {"/feed/entry", true},
    {"/rdf:RDF/item", true},
    {"//*[title]", true},
    {"//*[title][1]", true},
    {"//item[1]", true},
    {"//item[last()] | //entry[last()]", true},
    {"//item[position() < 3] | //entry[position() < 3]", true},
    {"//item[position() mod 2 = 0]", true},
    {"//item[enclosure/@length > 1000]", true},
    {"//item[category='politics' and price < 90]", true},
    {"//item[contains(title,'a')][2]", true},
    {"//entry[link/@rel='alternate']", true},
    {"//entry[link[@rel='alternate' and starts-with(@href,'http')]]", true},
    {"/rss[@version='2.0']/channel/item", true},
    {"/rss/channel[title]/item[title]", true},
    {"/*/*/item[guid]", true},
    {"//guid[@isPermaLink='true']/..", true},
    {"//title[contains(.,'e')]/parent::item", true},
    {"//item[preceding-sibling::item]", true},
    {"//items/item", true},
    {"/feed/items/item[tags]", true},
    {"//item[date_published > 0] | //item[author/name]", true},
    {"//title", true},
    {"//nothing", true},
};

std::vector<std::filesystem::path> feed_files() {
    const std::filesystem::path folder = testing::shared_folder("feeds");
    std::vector<std::filesystem::path> files;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
}

// The feed as libxml2 can read it: what is not XML as the XML that filters see.
std::string xml_of(const feed::DocumentPtr& document, const std::string& bytes) {
    // We accept white space before the XML declaration.
    if (document->syntax() == feed::Syntax::xml) return bytes.substr(bytes.find_first_not_of(" \t\r\n"));
    std::ostringstream out;
    PugiCopy(*document).tree().save(out, "", pugi::format_raw);
    return out.str();
}

std::string items_of(const feed::DocumentPtr& document) {
    switch (document->format()) {
        case feed::FeedFormat::rss:
            return "//rss/channel/item | //rss/item";
        case feed::FeedFormat::rdf:
            return "//rdf:RDF/item | //rdf:RDF/channel/item";
        case feed::FeedFormat::atom:
            return "//feed/entry";
        default:
            return "/feed/item";
    }
}

// Empty for a file that is not well-formed, as libxml2 must agree.
std::optional<OracleDocument> read_file(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(in), {});
    auto document = feed::parse_document(bytes, {});
    if (!document) {
        INFO(document.error().message << ", line " << document.error().line);
        REQUIRE_THROWS(Libxml2Document(bytes, "/*"));
        return std::nullopt;
    }
    OracleDocument both;
    both.ours = *document;
    copy_tree(both);
    both.libxml2 = std::make_shared<Libxml2Document>(xml_of(both.ours, bytes), items_of(both.ours));
    REQUIRE(both.libxml2->items().size() == both.items.size());
    return both;
}

std::vector<RandomFilter> filters_for(const OracleDocument& document) {
    std::vector<RandomFilter> filters(std::begin(written_filters), std::end(written_filters));
    const Vocabulary vocabulary = make_vocabulary(document.items);
    Random random(1);
    while (filters.size() < std::size(written_filters) + generated_filters) {
        RandomFilter filter = random_filter(random, vocabulary);
        if (filter::compile_filter(filter.text) && knows(Oracle::libxml2, filter)) filters.push_back(std::move(filter));
    }
    return filters;
}

}  // namespace

TEST_CASE("filters on real feeds are answered as libxml2 answers") {
    const auto files = feed_files();
    if (files.empty()) {
        sluice::testing::skip("there is no folder ../shared/feeds");
        return;
    }
    std::size_t answers_count = 0, yes = 0;
    for (const auto& file : files) {
        INFO(file.filename());
        const std::optional<OracleDocument> read = read_file(file);
        if (!read) continue;
        const OracleDocument& document = *read;
        REQUIRE_FALSE(document.items.empty());
        const std::vector<RandomFilter> filters = filters_for(document);
        for (const engine::Backend backend : {engine::Backend::cpu, engine::Backend::naive}) {
            OurSide ours(backend);
            for (const RandomFilter& filter : filters) {
                INFO(filter.text);
                ours.add(filter::compile_filter(filter.text).value().disjunction);
            }
            const std::vector<Answers> answers = ours.answers({&document, 1});
            for (std::size_t i = 0; i < filters.size(); ++i) {
                INFO(filters[i].text);
                const Answers theirs = answers_of(Oracle::libxml2, filters[i], document);
                CHECK(answers[i] == theirs);
                answers_count += theirs.size();
                yes += static_cast<std::size_t>(std::count(theirs.begin(), theirs.end(), true));
            }
        }
    }
    std::cout << "feeds: " << files.size() << " files, " << std::size(written_filters) << " + " << generated_filters
              << " filters each, " << answers_count << " answers, " << yes * 100 / answers_count << " % of them true"
              << std::endl;
    CHECK(yes * 100 >= answers_count * 15);
    CHECK(yes * 100 <= answers_count * 85);
}
