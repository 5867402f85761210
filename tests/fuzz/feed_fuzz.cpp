// Feeds from outside: whatever the bytes, parsing ends with a document or an error that says where; and a document can
// be read in every way, and reads the same when it is parsed again. The last byte chooses the options.
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>

#include "protocol/feed/document.hpp"
#include "protocol/feed/fields.hpp"
#include "protocol/feed/identity.hpp"

namespace {

using namespace sluice;

void require(bool holds, const char* what) {
    if (holds) return;
    std::cerr << "does not hold: " << what << '\n';
    std::abort();
}

DocumentOptions options_of(std::uint8_t choice) {
    DocumentOptions options;
    switch (choice % 8) {
        case 1:
            options.content_type = "text/xml; charset=windows-1252";
            break;
        case 2:
            options.content_type = "text/xml; charset=\"utf-16\"";
            break;
        case 3:
            options.content_type = "application/xml; charset=shift_jis";
            break;
        case 4:
            options.event_path = "//*[not(*)]";
            break;
        case 5:
            options.limits = {1000, 8, 3, 10};
            break;
        default:
            break;
    }
    return options;
}

void check_item(const Document& document, const Item& item, const FeedLimits& limits) {
    const std::string_view source = item.source;
    require(source.size() >= 2, "an item has a source");
    if (document.format() == FeedFormat::json) {
        require(source.front() == '{' && source.back() == '}', "a JSON item's source is an object");
    } else {
        require(source.front() == '<' && source.back() == '>', "an item's source is an element");
    }
    std::size_t values = 0;
    for (const pugi::xpath_node& node : item.element.select_nodes("descendant-or-self::* | descendant-or-self::*/@*")) {
        values += node.node().type() == pugi::node_element || node.attribute();
    }
    require(values <= limits.item_values_max, "an item is within its limit");
    require(!read_id(document, item).value_or("x").empty(), "a field is not empty");
}

void check_same(const Document& a, const Document& b) {
    require(a.format() == b.format() && a.items().size() == b.items().size(), "parsing again gives the same items");
    for (std::size_t i = 0; i < a.items().size(); ++i) {
        const Fields x = read_fields(a, a.items()[i]), y = read_fields(b, b.items()[i]);
        require(a.items()[i].source == b.items()[i].source, "the same source");
        require(item_identity(a, a.items()[i]) == item_identity(b, b.items()[i]), "the same identity");
        require(x.title == y.title && x.link == y.link && x.author == y.author && x.category == y.category &&
                    x.published.has_value() == y.published.has_value(),
                "the same fields");
    }
    require(read_feed_fields(a).title == read_feed_fields(b).title, "the same feed");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string bytes(reinterpret_cast<const char*>(data), size);
    const DocumentOptions options = options_of(size > 0 ? data[size - 1] : std::uint8_t{0});
    const auto document = parse_document(bytes, options);
    if (!document) {
        const FeedError& error = document.error();
        require(!error.message.empty() && error.line >= 1 && error.column >= 1, "an error says what and where");
        // Counted in UTF-8, which has at most three bytes for each byte of another encoding.
        require(error.offset <= 3 * size, "an error is in the document");
        return 0;
    }
    require((*document)->items().size() <= options.limits.items_max, "a document is within its limit");
    std::size_t items_checked = 0;
    for (const Item& item : (*document)->items()) {
        if (++items_checked <= 100) check_item(**document, item, options.limits);
    }
    const auto again = parse_document(bytes, options);
    require(again.has_value(), "parsing again succeeds");
    check_same(**document, **again);
    return 0;
}
