#include <algorithm>
#include <boost/json/monotonic_resource.hpp>
#include <boost/json/parser.hpp>
#include <boost/json/value.hpp>
#include <charconv>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "protocol/feed/json_ranges.hpp"
#include "protocol/feed/parsed_document.hpp"
#include "protocol/feed/text_position.hpp"
#include "protocol/feed/xml_cursor.hpp"
#include "protocol/text/name_characters.hpp"
#include "protocol/text/utf8.hpp"

namespace sluice {

namespace {

namespace json = boost::json;

// A key as the name of an element: characters that XML names can't have become '_', so that every key can be written
// in a filter. "@id" -> "_id", "my key" -> "my_key", "2x" -> "_2x".
std::string element_name(std::string_view key) {
    std::string name;
    bool has_colon = false;
    for (std::size_t at = 0; at < key.size();) {
        const Utf8Char c = utf8_at(key, at);
        const std::string_view bytes = key.substr(at, std::max<std::size_t>(c.length, 1));
        at += bytes.size();
        const bool is_inner_colon =
            c.code == ':' && !has_colon && !name.empty() && at < key.size() && is_name_start(utf8_at(key, at).code);
        has_colon = has_colon || is_inner_colon;
        if (is_inner_colon || is_name_char(c.code)) {
            if (name.empty() && !is_name_start(c.code)) name += '_';
            name += bytes;
        } else {
            name += '_';
        }
    }
    return name.empty() ? "_" : name;
}

// As XPath's string() writes a number: decimal digits without exponent, as many as tell it from its neighbours.
std::string number_text(double number) {
    if (std::isnan(number)) return "NaN";
    if (std::isinf(number)) return number < 0 ? "-Infinity" : "Infinity";
    if (number == 0) return "0";
    char digits[400];
    const auto written = std::to_chars(digits, digits + sizeof digits, number, std::chars_format::fixed);
    return std::string(digits, written.ptr);
}

std::string scalar_text(const json::value& value) {
    switch (value.kind()) {
        case json::kind::bool_:
            return value.get_bool() ? "true" : "false";
        case json::kind::int64:
            return std::to_string(value.get_int64());
        case json::kind::uint64:
            return std::to_string(value.get_uint64());
        case json::kind::double_:
            return number_text(value.get_double());
        default:
            break;
    }
    std::string text(value.get_string());
    for (std::size_t nul = 0; (nul = text.find('\0', nul)) != std::string::npos;) text.replace(nul, 1, "\xEF\xBF\xBD");
    return text;
}

// Builds elements from values. Recursive: json::parse_options::max_depth bounds it.
class JsonTreeBuilder {
public:
    explicit JsonTreeBuilder(std::size_t elements_max) : elements_max_(elements_max) {}

    std::size_t elements() const { return elements_; }
    bool is_full() const { return elements_ > elements_max_; }  // something had to be left out

    void add_members(pugi::xml_node parent, const json::object& object) {
        for (const auto& [key, value] : object) add(parent, element_name(key).c_str(), value);
    }

    void add(pugi::xml_node parent, const char* name, const json::value& value) {
        if (value.is_null() || is_full()) return;
        if (const json::array* array = value.if_array()) {
            for (const json::value& element : *array) add(parent, name, element);
            return;
        }
        ++elements_;
        if (is_full()) return;
        pugi::xml_node node = parent.append_child(name);
        if (const json::object* object = value.if_object()) {
            add_members(node, *object);
        } else if (const std::string text = scalar_text(value); !text.empty()) {
            node.append_child(pugi::node_pcdata).set_value(text.c_str());
        }
    }

private:
    const std::size_t elements_max_;
    std::size_t elements_ = 0;
};

class JsonDocumentParser {
public:
    JsonDocumentParser(std::string text, const DocumentOptions& options)
        : document_(std::make_shared<ParsedDocument>()), limits_(options.limits), builder_(options.limits.values_max) {
        document_->text_ = std::move(text);
    }

    ParsedDocumentResult parse();

private:
    std::optional<FeedError> read(json::value& value);
    std::optional<FeedError> add_items(const json::array& items);
    FeedError error(FeedError::Kind kind, std::size_t offset, std::string message) const {
        return error_at(kind, document_->text_, offset, std::move(message));
    }

    std::shared_ptr<ParsedDocument> document_;
    const FeedLimits& limits_;
    JsonTreeBuilder builder_;
};

std::optional<FeedError> JsonDocumentParser::read(json::value& value) {
    std::string_view text = document_->text_;
    const std::size_t skipped = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
    text.remove_prefix(skipped);
    json::parse_options options;
    options.max_depth = limits_.depth_max;
    json::parser parser(value.storage(), options);
    boost::system::error_code code;
    const std::size_t read = parser.write(text.data(), text.size(), code);
    if (!code) {
        value = parser.release();
        return std::nullopt;
    }
    if (code == json::error::too_deep) {
        return error(FeedError::Kind::limit, skipped + read,
                     "values nest deeper than limits.element_depth (" + std::to_string(limits_.depth_max) + ")");
    }
    return error(FeedError::Kind::not_well_formed, skipped + read, "not JSON: " + code.message());
}

ParsedDocumentResult JsonDocumentParser::parse() {
    json::monotonic_resource memory;
    json::value value(&memory);
    if (auto fault = read(value)) return std::move(*fault);
    const json::object* object = value.if_object();
    const json::value* items = object ? object->if_contains("items") : nullptr;
    if (!items || !items->is_array()) {
        return error(FeedError::Kind::not_well_formed, 0, "a JSON Feed is an object with an array \"items\"");
    }
    document_->format_ = FeedFormat::json;
    document_->feed_ = document_->tree_.append_child("feed");
    for (const auto& [key, member] : *object) {
        if (key == "items") {
            if (auto fault = add_items(member.get_array())) return std::move(*fault);
        } else {
            builder_.add(document_->feed_, element_name(key).c_str(), member);
        }
        if (builder_.is_full()) return too_many_values(document_->text_, 0, limits_);
    }
    return std::move(document_);
}

std::optional<FeedError> JsonDocumentParser::add_items(const json::array& items) {
    const std::vector<std::string_view> sources = json_array_elements(document_->text_, "items");
    for (std::size_t i = 0; i < std::min(items.size(), sources.size()); ++i) {
        const auto offset = static_cast<std::size_t>(sources[i].data() - document_->text_.data());
        if (i == limits_.items_max) return too_many_items(document_->text_, offset, limits_);
        if (!items[i].is_object()) {
            return error(FeedError::Kind::not_well_formed, offset, "an item of a JSON Feed is an object");
        }
        const std::size_t before = builder_.elements();
        builder_.add(document_->feed_, "item", items[i]);
        if (builder_.elements() - before > limits_.item_values_max) {
            return too_many_item_values(document_->text_, offset, limits_);
        }
        if (builder_.is_full()) return too_many_values(document_->text_, offset, limits_);
        document_->items_.push_back({document_->feed_.last_child(), sources[i]});
    }
    return std::nullopt;
}

}  // namespace

ParsedDocumentResult parse_json_document(std::string text, const DocumentOptions& options) {
    return JsonDocumentParser(std::move(text), options).parse();
}

}  // namespace sluice
