// What publishing a feed costs before it is matched: bench_documents FEED…, tab-separated.
//
//   feed, its bytes, its items; microseconds to parse it, to parse it and make pugixml's tree of it, to parse it and
//   read the fields of all its items, and these with the identities of the items and the digests of what they say
//
// Medians of several rounds, processor time. The last line has the sums. A feed that is not well-formed is repaired.
#include <array>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "protocol/feed/item/fields.hpp"
#include "protocol/feed/item/identity.hpp"
#include "protocol/feed/model/document.hpp"
#include "protocol/feed/model/pugi_tree.hpp"
#include "protocol/feed/parse.hpp"
#include "tests/bench/median_us.hpp"

using namespace sluice::feed;
using sluice::bench::median_us;

namespace {

constexpr int rounds = 41;

const std::vector<std::string> ignored_names{"slash:comments", "slash:hit_parade", "thr:total", "media:community",
                                             "?utm_*",         "?fbclid",          "?gclid"};

DocumentPtr parse(const std::string& bytes, bool with_digests = false) {
    DocumentOptions options;
    if (with_digests) options.digests = DigestOptions{IgnoredParts(ignored_names), false};
    options.repair = RepairMode::lenient;
    return parse_document(bytes, options).value();
}

std::array<double, 4> measure(const std::string& bytes) {
    std::size_t read = 0;  // so that nothing is left out
    const auto read_all = [&](const Document& document) {
        for (const Item& item : document.items()) read += read_fields(document, item).category.size();
    };
    const auto identify_all = [&](const Document& document) {
        const ItemIdentities identities(document, {}, IgnoredParts(ignored_names));
        for (const Item& item : document.items()) read += identities.of(item).id.size();
    };
    const double parsed = median_us(rounds, [&] { read += parse(bytes)->items().size(); });
    const double tree = median_us(rounds, [&] { read += PugiTree(*parse(bytes)).bytes(); });
    const double fields = median_us(rounds, [&] { read_all(*parse(bytes)); });
    const double all = median_us(rounds, [&] {
        const DocumentPtr document = parse(bytes, true);
        read_all(*document);
        identify_all(*document);
    });
    return {parsed, tree, fields, read > 0 ? all : 0};
}

}  // namespace

int main(int argc, char** argv) {
    std::array<double, 4> sums{};
    for (int i = 1; i < argc; ++i) {
        std::ifstream in(argv[i], std::ios::binary);
        const std::string name(argv[i]), bytes(std::istreambuf_iterator<char>(in), {});
        const auto us = measure(bytes);
        std::printf("%s\t%zu\t%zu\t%.1f\t%.1f\t%.1f\t%.1f\n", name.c_str() + name.find_last_of('/') + 1, bytes.size(),
                    parse(bytes)->items().size(), us[0], us[1], us[2], us[3]);
        for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += us[k];
    }
    std::printf("all\t\t\t%.1f\t%.1f\t%.1f\t%.1f\n", sums[0], sums[1], sums[2], sums[3]);
    return 0;
}
