// The bytes that an event log writes for one new item of a feed, tab-separated: bench_records [FEED…], plus a generated
// feed of 100 items.
//
//   feed, items, bytes of the document, of its last item, of the append that keeps the document, of the one that keeps
//   the item; microseconds to make and encode the first append, to decode and parse it, the same for the second
//
// Medians of several rounds, processor time.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "protocol/feed/parse.hpp"
#include "protocol/feed/record/record_codec.hpp"
#include "protocol/feed/record/record_document.hpp"
#include "protocol/feed/record/record_item.hpp"
#include "tests/bench/median_us.hpp"

using namespace sluice::feed;
using sluice::bench::median_us;

namespace {

constexpr int rounds = 101;

std::string made_up_feed() {
    std::string text =
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<rss version=\"2.0\" xmlns:dc=\"http://purl.org/dc/"
        "elements/1.1/\">\n<channel>\n<title>World news</title>\n<link>https://example.org/</link>\n";
    std::string words;
    for (int i = 0; i < 60; ++i) words += "some words ";
    for (int i = 0; i < 100; ++i) {
        const std::string n = std::to_string(i);
        text += "<item>\n<title>Something has happened " + n + "</title>\n<link>https://example.org/" + n +
                "</link>\n<guid>https://example.org/" + n + "</guid>\n<dc:creator>Ada</dc:creator>\n" +
                "<pubDate>Mon, 01 Jan 2024 00:00:00 GMT</pubDate>\n<category>politics</category>\n<description>" +
                words + "</description>\n</item>\n";
    }
    return text + "</channel>\n</rss>\n";
}

std::string append_document(const Document& document, std::size_t item) {
    EventRecord event;
    event.item = source_range(document, item);
    return encode_append(record_document(document, {}), {&event, 1}).value();
}

std::string append_item(const Document& document, std::size_t item) {
    const auto records = record_items(document, record_document(document, {}), {&item, 1}, 1u << 30).value();
    EventRecord event;
    event.item = records[0].item;
    return encode_append(records[0].document, {&event, 1}).value();
}

void parse(const std::string& bytes) { parse_record(*decode_append(bytes).value().document, {}).value(); }

void measure(const char* name, const std::string& bytes) {
    const auto parsed = parse_document(bytes, {});
    if (!parsed || (*parsed)->items().empty()) return;
    const Document& document = **parsed;
    const std::size_t last = document.items().size() - 1;
    const std::string whole = append_document(document, last), alone = append_item(document, last);
    std::printf("%s\t%zu\t%zu\t%zu\t%zu\t%zu\t%.1f\t%.1f\t%.1f\t%.1f\n", name, last + 1, document.text()->size(),
                document.items()[last].source.size(), whole.size(), alone.size(),
                median_us(rounds, [&] { append_document(document, last); }), median_us(rounds, [&] { parse(whole); }),
                median_us(rounds, [&] { append_item(document, last); }), median_us(rounds, [&] { parse(alone); }));
}

}  // namespace

int main(int argc, char** argv) {
    measure("100 items", made_up_feed());
    for (int i = 1; i < argc; ++i) {
        std::ifstream in(argv[i], std::ios::binary);
        const std::string name(argv[i]);
        measure(name.c_str() + name.find_last_of('/') + 1, {std::istreambuf_iterator<char>(in), {}});
    }
    return 0;
}
