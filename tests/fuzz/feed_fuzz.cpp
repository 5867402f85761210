// Feeds from outside: for any bytes, parsing ends with a document or an error with its position. A document can be read
// in every way, and reads the same when parsed again. Its items are well-formed where they stand alone. What expat
// accepts is not repaired, and expat accepts what has been repaired. The last byte chooses the options.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <expat.h>
#include <iostream>
#include <memory>
#include <pugixml.hpp>
#include <sstream>
#include <string>
#include <string_view>

#include "protocol/feed/encoding/encoding_guess.hpp"
#include "protocol/feed/item/fields.hpp"
#include "protocol/feed/item/identity.hpp"
#include "protocol/feed/item/item_xml.hpp"
#include "protocol/feed/model/document.hpp"
#include "protocol/feed/model/media_type.hpp"
#include "protocol/feed/model/pugi_tree.hpp"
#include "protocol/feed/parse.hpp"
#include "protocol/feed/record/record_document.hpp"
#include "protocol/feed/xml/xml_scanner.hpp"
#include "protocol/text/utf8.hpp"
#include "tests/fuzz/document_type.hpp"

namespace {

using namespace sluice;

void require(bool holds, const char* what) {
    if (holds) return;
    std::cerr << "does not hold: " << what << '\n';
    std::abort();
}

feed::DocumentOptions options_of(std::uint8_t choice) {
    feed::DocumentOptions options;
    if ((choice & 8) != 0) options.repair = feed::RepairMode::lenient;
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

// Expat knows other characters in names, reads declarations inside a DOCTYPE, and does not know HTML's entities.
bool is_comparable(std::string_view text) {
    const auto is_plain = [](char c) { return c > 0; };
    return std::all_of(text.begin(), text.end(), is_plain) && text.find("<!DOCTYPE") == std::string_view::npos;
}

bool expat_accepts(std::string_view text, bool has_namespaces) {
    XML_Parser parser = has_namespaces ? XML_ParserCreateNS("UTF-8", '\x01') : XML_ParserCreate("UTF-8");
    XML_UseForeignDTD(parser, has_namespaces ? XML_FALSE : XML_TRUE);
    const bool accepts = XML_Parse(parser, text.data(), static_cast<int>(text.size()), 1) == XML_STATUS_OK;
    XML_ParserFree(parser);
    return accepts;
}

void check_item(const feed::Document& document, const feed::Item& item, const feed::FeedLimits& limits) {
    const std::string_view source = item.source;
    require(!source.empty(), "an item has a source");
    if (feed::is_json(document.syntax())) {
        require(source.front() == '{' && source.back() == '}', "a JSON item's source is an object");
    } else if (document.syntax() == feed::Syntax::xml) {
        require(source.front() == '<' && source.back() == '>', "an item's source is an element");
    }
    std::size_t values = 0;
    for (feed::TreeNode node = item.element; node; node = node.next_below(item.element))
        values += (node.is_element() ? 1u : 0u) + node.attributes().size();
    require(values <= limits.item_values_max, "an item is within its limit");
    feed::TextBlocks texts;
    require(!feed::read_id(document, item, texts).value_or("x").empty(), "a field is not empty");
}

// pugixml prints <?p ?> as it was written, and an instruction that was made without data as <?p?>.
std::string printed(const feed::PugiTree& tree) {
    std::ostringstream out;
    tree.document().print(out, "", pugi::format_raw);
    std::string text = out.str();
    for (std::size_t at = 0; (at = text.find(" ?>", at)) != std::string::npos;) text.erase(at, 1);
    return text;
}

// Our tree is that which pugixml makes of it, but for line ends in instructions, which pugixml keeps.
void check_tree(const feed::Document& document) {
    const std::string_view xml = document.xml();
    if (xml.find('\r') != std::string_view::npos && xml.find("<?") != std::string_view::npos) return;
    require(printed(feed::PugiTree(document)) == printed(feed::PugiTree(document.tree())), "the same tree");
}

void check_item_xml(const feed::DocumentPtr& document, std::size_t item) {
    static const auto stream = std::make_shared<const std::string>("s");
    const std::string xml = feed::item_xml({document, item, stream, 1});
    require(!text::find_bad_text(xml), "an item's XML has no other characters than XML's");
    const auto scanned = feed::scan_xml(xml, {});
    require(scanned || scanned.error().kind == feed::FeedError::Kind::limit, "an item's XML is well-formed");
    require(!is_comparable(xml) || expat_accepts(xml, true), "expat accepts an item's XML");
}

void check_same(const feed::Document& a, const feed::Document& b) {
    require(a.format() == b.format() && a.items().size() == b.items().size(), "parsing again gives the same items");
    const feed::ItemIdentities of_a(a), of_b(b);
    for (std::size_t i = 0; i < a.items().size(); ++i) {
        const feed::Fields x = feed::read_fields(a, a.items()[i]), y = feed::read_fields(b, b.items()[i]);
        require(a.items()[i].source == b.items()[i].source, "the same source");
        require(of_a.of(a.items()[i]).id == of_b.of(b.items()[i]).id, "the same identity");
        require(x.title == y.title && x.link == y.link && x.authors == y.authors && x.category == y.category &&
                    x.published.has_value() == y.published.has_value(),
                "the same fields");
    }
    require(feed::read_feed_fields(a).title == feed::read_feed_fields(b).title, "the same feed");
}

void check_repairs(const std::string& bytes, feed::DocumentOptions options) {
    options.repair = feed::RepairMode::strict;
    const auto strict = feed::parse_document(bytes, options);
    options.repair = feed::RepairMode::lenient;
    const auto lenient = feed::parse_document(bytes, options);
    // Which is well-formed in the encoding that it claims to be in.
    const bool is_utf8_by_another_name = feed::is_utf8_by_another_name(bytes, options.content_type.charset);
    if (strict && !is_utf8_by_another_name) {
        require(lenient && (*lenient)->repairs().empty() && *(*lenient)->text() == *(*strict)->text(),
                "what is well-formed is not repaired");
    } else if (!strict && options.content_type.type.empty() && is_comparable(bytes) && expat_accepts(bytes, true)) {
        require(strict.error().kind != feed::FeedError::Kind::not_well_formed, "what expat accepts is well-formed");
    }
    if (!lenient) return;
    const feed::Document& document = **lenient;
    if (strict && document.repairs().empty()) return;
    require(!document.repairs().empty(), "what is not well-formed is repaired");
    feed::FeedLimits limits = options.limits;
    limits.document_bytes_max *= 2;
    const auto again = feed::parse_record(feed::record_document(document, options), limits);
    require(again.has_value(), "what has been repaired is well-formed");
    check_same(document, **again);
    std::string_view text = *document.text();
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
    if (document.syntax() == feed::Syntax::xml && is_comparable(text))
        require(expat_accepts(text, false), "expat accepts what has been repaired");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string bytes(reinterpret_cast<const char*>(data), size);
    feed::DocumentOptions options = take_document_type(bytes);
    if (options.content_type.type.empty()) options = options_of(size > 0 ? data[size - 1] : std::uint8_t{0});
    check_repairs(bytes, options);
    const auto document = feed::parse_document(bytes, options);
    if (!document) {
        const feed::FeedError& error = document.error();
        require(!error.message.empty() && error.line >= 1 && error.column >= 1, "an error says what and where");
        // Counted in UTF-8, which has at most three bytes for each byte of another encoding.
        require(error.offset <= 3 * size, "an error is in the document");
        return 0;
    }
    require((*document)->items().size() <= options.limits.items_max, "a document is within its limit");
    const feed::Refusals& refusals = (*document)->refusals();
    require(refusals.first.size() == std::min(refusals.count, feed::refusals_max), "the first refusals are told");
    for (const auto& [index, error] : refusals.first)
        require(
            !error.message.empty() && error.offset <= 3 * size && index < (*document)->items().size() + refusals.count,
            "a refusal says what and where");
    std::size_t items_checked = 0;
    for (const feed::Item& item : (*document)->items()) {
        if (items_checked == 100) break;
        check_item(**document, item, options.limits);
        check_item_xml(*document, items_checked++);
    }
    check_tree(**document);
    const auto again = feed::parse_document(bytes, options);
    require(again.has_value(), "parsing again succeeds");
    check_same(**document, **again);
    return 0;
}
