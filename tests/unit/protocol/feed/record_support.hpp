// Shared by the tests of records: documents of every format and encoding, and the properties that a record must
// preserve.
#pragma once

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "protocol/feed/item/event_json.hpp"
#include "protocol/feed/model/record.hpp"
#include "protocol/feed/parse.hpp"
#include "tests/support/pugi_copy.hpp"
#include "tests/support/source_folder.hpp"
#include "tests/unit/protocol/feed/parse_support.hpp"

namespace sluice::feed {

struct Published {
    std::string name;
    std::string bytes;
    DocumentOptions options;
};

inline std::string utf16(std::string_view ascii, bool is_big) {
    std::string wide = is_big ? "\xFE\xFF" : "\xFF\xFE";
    for (const char c : ascii) {
        if (is_big) wide += '\0';
        wide += c;
        if (!is_big) wide += '\0';
    }
    return wide;
}

inline std::vector<Published> small_documents() {
    const std::string items =
        "<title>f</title><link>http://f</link><x/><item><title>one</title><guid>1</guid></item>"
        "<item><title>two</title></item><title>late</title>";
    const std::string rss = "<rss version='2.0'><channel>" + items + "</channel></rss>";
    const std::string latin =
        "<rss><channel><title>caf\xE9</title><item a='\x80'><title>\x93q\x94</title></item>"
        "<item><title>b</title></item></channel></rss>";
    const std::string entries =
        "<title>f</title><link href='http://f'/><author><name>Ada</name></author>"
        "<entry><id>1</id><title>one</title></entry><entry><d:creator>z</d:creator></entry>";
    const std::string atom = "xmlns='http://www.w3.org/2005/Atom' xmlns:d='http://purl.org/dc/elements/1.1/'";
    return {
        {"RSS", rss, {}},
        {"with a mark", "\xEF\xBB\xBF" + rss, {}},
        {"ISO-8859-1", "<?xml version='1.0' encoding='ISO-8859-1'?>" + latin, {}},
        {"windows-1252 by its type", latin, {"text/xml; charset=windows-1252", "", {}}},
        {"the type overrules", "<?xml version='1.0' encoding='utf-8'?>" + latin, {"text/xml;charset=latin1", "", {}}},
        {"KOI8-R",
         "<?xml version='1.0' encoding='koi8-r'?><rss><channel><item><title>\xC1\xC2</title></item>"
         "</channel></rss>",
         {}},
        {"UTF-16LE", utf16("<?xml version='1.0' encoding='UTF-16'?>" + rss, false), {}},
        {"UTF-16BE", utf16("<?xml version='1.0' encoding='UTF-16'?>" + rss, true), {"application/rss+xml", "", {}}},
        {"UTF-16 without a mark", utf16(rss, false).substr(2), {}},
        {"a type with a quote", rss, {"application/\"xml", "", {}}},
        {"RDF",
         "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns='http://purl.org/rss/1.0/'>"
         "<channel rdf:about='c'><title>f</title><link>http://f</link></channel><item rdf:about='1'><title>one</title>"
         "</item><item rdf:about='2'><title>two</title></item></rdf:RDF>",
         {}},
        {"Atom", "<feed " + atom + " xml:lang='de'>" + entries + "</feed>", {"application/atom+xml", "", {}}},
        {"Atom by prefix",
         "<a:feed xmlns:a='http://www.w3.org/2005/Atom'><a:title>f</a:title><a:entry><a:id>1</a:id></a:entry></a:feed>",
         {}},
        {"Atom inside", "<!-- c --><soap><x/><feed " + atom + ">" + entries + "</feed></soap>", {}},
        {"an entry", "<entry " + atom + "><title>e</title><source><title>s</title></source></entry>", {}},
        {"entities",
         "<!DOCTYPE rss [<!ENTITY w 'World'>]><rss a='&w;'><channel><title>&w;</title><item><title>&w; &eacute;"
         "</title></item><item/></channel></rss>",
         {}},
        {"JSON Feed",
         "{\"version\": \"https://jsonfeed.org/version/1.1\", \"title\": \"f\", \"home_page_url\": \"http://f\","
         " \"authors\": [{\"name\": \"Ada\"}], \"items\": [{\"id\": \"1\", \"title\": \"caf\u00e9\"}, {\"id\": 2}],"
         " \"late\": 1}",
         {"application/feed+json; charset=latin1", "", {}}},
        {"JSON", "[{\"a\": {\"b\": [1.50, \"]\"]}}, 5, {\"items\": [{}]}]", {"application/json", "", {}}},
        {"NDJSON", "{\"a\": 1}\n{\r\n{\"items\": [{}]}", {"application/jsonl", "", {}}},
        {"NDJSON by its lines", "{\"a\": 1}\n{\"items\": [{}]}", {"text/plain", "", {}}},
        {"a CloudEvent",
         "{\"specversion\":\"1.0\",\"id\":\"1\",\"source\":\"s\",\"type\":\"t\",\"data\":{\"x\":1}}",
         {"application/cloudevents+json", "", {}}},
        {"CloudEvents",
         "[{\"specversion\":\"1.0\",\"id\":\"1\",\"source\":\"s\",\"type\":\"t\"},{\"id\":\"\"}]",
         {"application/cloudevents-batch+json", "", {}}},
        {"CSV", "\xEF\xBB\xBFid,my b\r\n1,\"x\r\ny\"\r\n2\r\n3,z", {"text/csv", "", {}}},
        {"CSV in ISO-8859-1", "\xE9\n\xE8\n", {"text/csv; charset=iso-8859-1", "", {}}},
        {"CSV without a header line", "1,2\n3,4\n", {"text/csv; header=absent", "", {}}},
        {"FASTA", ">a b\nAC\nGT\n>c\n1\n>d\nA\n", {"text/plain", "", {}}},
        {"FASTQ", "@a b\nAC\n+\n@I\n@c\nA\n+\nI\n", {"application/x-fasta", "", {}}},
        {"XML", "<log v='1'><!-- c --><e n='1'>a</e> text <e n='2'>b</e></log>", {}},
        {"a root alone", "<event n='1'>a</event>", {}},
        {"an event path",
         "<?xml version='1.0' encoding='windows-1252'?><log><title>t</title><day d='\xE9'><title>\x80</title>"
         "<e n='1'>a</e><!-- > --><e n='2'><![CDATA[</day>]]></e></day><day><e n='3'/></day></log>",
         {"", "//e[following::e or @n > 2]", {}}},
        {"nested events", "<a k='1'>x<a k='2'>y<a k='3'/></a><b/></a>", {"", "//a", {}}},
    };
}

inline std::string read_file(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

// The small documents, and the well-formed feeds of shared/feeds if that exists.
inline std::vector<Published> published_documents() {
    std::vector<Published> documents = small_documents();
    const std::filesystem::path feeds = testing::shared_folder("feeds");
    if (!std::filesystem::exists(feeds)) {
        WARN("without the feeds of " << feeds << ", which is not there");
        return documents;
    }
    for (const auto& entry : std::filesystem::directory_iterator(feeds)) {
        Published feed{entry.path().filename().string(), read_file(entry.path()), {}};
        if (parse_document(feed.bytes, feed.options)) documents.push_back(std::move(feed));
    }
    return documents;
}

inline void check_same(const FeedFields& a, const FeedFields& b) {
    CHECK(a.title == b.title);
    CHECK(a.link == b.link);
    CHECK(a.authors == b.authors);
}

// The item's source, its fields, data and values.
inline void check_same_item(const DocumentPtr& a, std::size_t in_a, const DocumentPtr& b, std::size_t in_b) {
    static const auto stream = std::make_shared<const std::string>("s");
    CHECK(a->items()[in_a].source == b->items()[in_b].source);
    CHECK(event_json({a, in_a, stream, 1}, JsonValues::all) == event_json({b, in_b, stream, 1}, JsonValues::all));
}

// The string-values of the nodes that the path selects from the item.
inline std::vector<std::string> values_at(const DocumentPtr& document, std::size_t item, const char* path) {
    std::vector<std::string> values;
    const PugiCopy copy(*document);
    for (const pugi::xpath_node& node : copy.items()[item].select_nodes(path))
        values.push_back(pugi::xpath_query("string()").evaluate_string(node));
    return values;
}

}  // namespace sluice::feed
