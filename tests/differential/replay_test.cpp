// What a replay sends is, byte for byte, what was sent live: all feeds of the test data, random documents and every
// other format, updates of items among them, past random filters, in each format of the events. Filters that look at
// siblings are among them where the log keeps whole documents. SLUICE_REPLAY_FILTERS and SLUICE_ORACLE_SEED set the
// number of filters and the seed.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>

#include "broker/core/counters.hpp"
#include "protocol/feed/parse.hpp"
#include "protocol/filter/filter.hpp"
#include "protocol/filter/siblings.hpp"
#include "tests/differential/oracle.hpp"
#include "tests/support/source_folder.hpp"
#include "tests/unit/broker/support.hpp"

using namespace sluice;
using namespace sluice::broker;

namespace {

constexpr std::size_t filters_of_connection = 100, random_documents = 40;
const std::string the_end = "the end of all events";

std::uint64_t environment_number(const char* name, std::uint64_t otherwise) {
    const char* text = std::getenv(name);
    return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

struct Published {
    std::string content_type, text;
    std::string fields = {};  // further ones of the request
};

constexpr const char* trace_fields =
    "traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\r\ntracestate: a=1, b=2\r\n";

std::vector<Published> feeds() {
    std::vector<Published> all;
    const auto folder = testing::shared_folder("feeds");
    std::error_code error;
    std::vector<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error))
        if (entry.path().extension() == ".xml" || entry.path().extension() == ".json") paths.push_back(entry.path());
    std::sort(paths.begin(), paths.end());
    for (const auto& path : paths) {
        std::ifstream file(path, std::ios::binary);
        all.push_back({path.extension() == ".xml" ? "application/xml" : "application/feed+json",
                       {std::istreambuf_iterator<char>(file), {}}});
    }
    return all;
}

std::vector<Published> other_formats() {
    return {{"application/json", R"([{"title":"a","n":1.50,"deep":{"list":[1,null,{"x":"y"}]}},{"title":"b"}])"},
            {"application/x-ndjson", "{\"title\":\"a\",\"n\":1e3}\n{\"title\":\"\\u00e9\"}\n"},
            {"text/csv", "title,n,\"odd, name\"\r\na,1,\"x\"\"y\"\r\nb,2,\"two\nlines\"\r\n"},
            {"text/csv; header=absent", "a,1\nb,2\n"},
            {"text/tab-separated-values", "title\tn\na\t1\n"},
            {"text/x-fasta", ">one first\nACGTACGT\nACGT\n>two\nTTTT\n"},
            {"text/x-fastq", "@read\nACGT\n+\nIIII\n"},
            {"application/cloudevents+json",
             R"({"specversion":"1.0","id":"1","source":"/s","type":"t","data":{"title":"a"}})"},
            {"application/cloudevents-batch+json",
             R"([{"specversion":"1.0","id":"2","source":"/s","type":"t","data":"x"},)"
             R"({"specversion":"1.0","id":"3","source":"/s","type":"t","data_base64":"AAEC",)"
             R"("traceparent":"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00"}])"}};
}

// Another document with the same items, one of which says something else.
std::string updated(std::string text) {
    const std::size_t title = std::min(text.rfind("</title>"), text.rfind("\"title\":\""));
    if (title != std::string::npos && text[title] == '<') text.insert(title, " (changed)");
    if (title != std::string::npos && text[title] == '"') text.insert(title + 9, "changed ");
    return text;
}

std::vector<std::string> filters(Random& random, const Vocabulary& vocabulary, std::size_t n, bool whole) {
    std::vector<std::string> all{"title = ../title",
                                 "$feed_title and contains($title, 'a')",
                                 "$author",
                                 "approx-contains(title, 'announcement', 3)",
                                 "matches(title, '[0-9]{2,}')",
                                 "align(description, 'GATTACA') > 3",
                                 "count(preceding-sibling::*) mod 2 = 1"};
    while (all.size() < n) all.push_back(random_filter(random, vocabulary).text);
    std::erase_if(all, [&](const std::string& text) {
        const auto filter = filter::compile_filter(text);
        return !filter || (!whole && filter::needs_siblings(*filter));
    });
    return all;
}

struct Stream {
    std::string query;
    std::unique_ptr<HttpClient> live;
};

void open_stream(HttpClient& client, const std::string& query) {
    client.send("GET /v1/events?" + query + " HTTP/1.1\r\nHost: t\r\n\r\n");
    const Reply head = client.read_head();
    INFO(query.substr(0, 200) << '\n' << head.body);
    REQUIRE(head.status == 200);
}

// Events and gaps until that of `the_end`.
std::string read_all(HttpClient& client) {
    std::string all;
    for (auto event = client.read_event(); event; event = client.read_event()) {
        if (event->starts_with(':')) continue;
        all += *event + "\n\n";
        if (event->find(the_end) != std::string::npos) return all;
    }
    return all;
}

std::string first_difference(const std::string& a, const std::string& b) {
    const auto at = static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
    const std::size_t from = at - std::min<std::size_t>(at, 300);
    return "live:\n" + a.substr(from, 600) + "\nreplayed:\n" + b.substr(from, 600);
}

Vocabulary vocabulary_of(const std::vector<Published>& documents) {
    std::vector<OracleDocument> parsed;
    std::vector<pugi::xml_node> items;
    for (const Published& document : documents) {
        feed::DocumentOptions options;
        options.content_type = document.content_type;
        auto read = feed::parse_document(document.text, options);
        if (!read) continue;
        OracleDocument& both = parsed.emplace_back();
        both.ours = *read;
        copy_tree(both);
        items.insert(items.end(), both.items.begin(), both.items.end());
    }
    return make_vocabulary(items);
}

}  // namespace

TEST_CASE("what is replayed equals what was sent live") {
    const bool whole = GENERATE(true, false);
    const std::uint64_t seed = environment_number("SLUICE_ORACLE_SEED", 1);
    Random random(seed);
    std::vector<Published> documents = feeds();
    for (Published& other : other_formats()) documents.push_back(std::move(other));
    for (std::size_t i = 0; i < random_documents; ++i) {
        RandomDocument made = random.chance(80) ? random_document(random) : random_json_document(random);
        documents.push_back({made.is_json ? "application/feed+json" : "application/xml", std::move(made.published)});
    }
    for (std::size_t i = 0; i < documents.size(); i += 2) documents[i].fields = trace_fields;
    const std::vector<std::string> texts =
        filters(random, vocabulary_of(documents), environment_number("SLUICE_REPLAY_FILTERS", 400), whole);
    // No budget ends: what is undecided may differ from one time to the next.
    RunningBroker running({"limits.condition_steps=1000000000000", "limits.document_steps=1000000000000",
                           "limits.subscriber_steps=1000000000000", "limits.event_time=1h", "limits.condition_time=1h",
                           "limits.document_time=24h", "http.header_bytes=4MiB", "delivery.queue_bytes=1GiB"});
    HttpClient publisher(running.port());
    publisher.send("PUT /v1/streams/s HTTP/1.1\r\nHost: t\r\nContent-Length: " + std::string(whole ? "17" : "13") +
                   "\r\n\r\n" + (whole ? "context: document" : "context: auto"));
    REQUIRE(publisher.read_reply().status == 201);

    const std::vector<std::string> formats{"format=json", "format=json&values=all", "format=xml", "format=source"};
    std::vector<Stream> streams;
    for (std::size_t first = 0; first < texts.size(); first += filters_of_connection) {
        std::string query = "stream=s&" + formats[streams.size() % formats.size()] +
                            "&filter=" + percent_encode("title = '" + the_end + "'");
        for (std::size_t i = first; i < std::min(texts.size(), first + filters_of_connection); ++i)
            query += "&filter=" + percent_encode(texts[i]);
        streams.push_back({std::move(query), std::make_unique<HttpClient>(running.port())});
    }
    for (const std::string& format : formats)  // every event, in every format
        streams.push_back({"stream=s&" + format, std::make_unique<HttpClient>(running.port())});
    for (const Stream& stream : streams) open_stream(*stream.live, stream.query);

    const auto publish = [&](const Published& document) {
        return publisher.post("/v1/events?stream=s", document.text,
                              "Content-Type: " + document.content_type + "\r\n" + document.fields);
    };
    for (const Published& document : documents) publish(document);
    for (const Published& document : documents)
        publish({document.content_type, updated(document.text), document.fields});
    REQUIRE(publish({"application/xml", rss({item(the_end)})}).status == 202);

    std::size_t events = 0;
    for (const Stream& stream : streams) {
        const std::string live = read_all(*stream.live);
        HttpClient client(running.port());
        open_stream(client, "from=first&until=now&" + stream.query);
        const std::string replayed = read_all(client);
        INFO("seed " << seed << ": " << stream.query.substr(0, 100));
        if (live != replayed) FAIL_CHECK(first_difference(live, replayed));
        for (std::size_t at = 0; (at = live.find("\n\n", at)) != std::string::npos; ++at) ++events;
    }
    const auto& counters = running.broker.counters();
    std::cout << "replay: " << documents.size() << " documents, " << counters.events << " events, " << texts.size()
              << " filters, " << events << " deliveries compared" << (whole ? ", with siblings" : "") << std::endl;
    CHECK(counters.gaps == 0);
    CHECK(counters.events_lost == 0);
}
