// The binary mode of CloudEvents 1.0 in HTTP (https://github.com/cloudevents/spec, bindings/http-protocol-binding.md).
#include <algorithm>
#include <optional>
#include <string>

#include "protocol/feed/data/cloud_event.hpp"
#include "protocol/feed/data/json_reader.hpp"
#include "protocol/feed/data/json_text.hpp"
#include "protocol/feed/model/media_type.hpp"
#include "protocol/feed/model/text_position.hpp"
#include "protocol/text/ascii.hpp"
#include "protocol/text/base64.hpp"
#include "protocol/text/utf8.hpp"

namespace sluice::feed {

namespace {

constexpr std::size_t escaped_bytes_max = 6;  // of a character in a JSON string

// §3.1.3.2: percent-encoded bytes are decoded, once; the value may be quoted. What is no percent-encoding stays.
std::string header_text(std::string_view value) {
    value = text::trim(value);
    const bool is_quoted = value.size() >= 2 && value.front() == '"' && value.back() == '"';
    if (is_quoted) value = value.substr(1, value.size() - 2);
    std::string text;
    for (std::size_t i = 0; i < value.size(); ++i) {
        const int high = value[i] == '%' && i + 2 < value.size() ? text::hex_digit(value[i + 1]) : -1;
        const int low = high >= 0 ? text::hex_digit(value[i + 2]) : -1;
        if (low >= 0) {
            text += static_cast<char>(high << 4 | low);
            i += 2;
        } else if (is_quoted && value[i] == '\\' && i + 1 < value.size()) {
            text += value[++i];
        } else {
            text += value[i];
        }
    }
    return text;
}

// Two ids that are not would be the same once they are text.
bool is_utf8(const std::string& text) { return text::printable_utf8(text) == text; }

bool is_json_type(const std::string& type) { return type.ends_with("/json") || type.ends_with("+json"); }

// Reads a value without keeping it. Recurses to the limit of the depth.
bool read_value(JsonReader& reader, std::size_t depth_left, std::string& room) {
    const char first = reader.next();
    if (first != '{' && first != '[') return reader.scalar(room);
    if (depth_left == 0) return reader.fail("the data nests deeper than limits.element_depth");
    const char last = first == '{' ? '}' : ']';
    reader.take(first);
    if (reader.take(last)) return true;
    do {
        if (first == '{' && (!reader.string(room) || !reader.expect(':', "after a key"))) return false;
        if (!read_value(reader, depth_left - 1, room)) return false;
    } while (reader.take(','));
    return reader.expect(last, "or ',' after a value");
}

std::optional<FeedError> check_json(std::string_view body, const FeedLimits& limits) {
    if (const auto bad = text::find_bad_text(body))
        return error_at(FeedError::Kind::encoding, body, *bad, "the data is not text in UTF-8, which JSON is");
    JsonReader reader(body, 0, body.size());
    std::string room;
    const bool is_good = read_value(reader, limits.depth_max, room) &&
                         (reader.next() == '\0' || reader.fail("not JSON: something follows the value"));
    if (is_good) return std::nullopt;
    return error_at(FeedError::Kind::not_well_formed, body, reader.fault_offset(), reader.fault());
}

}  // namespace

std::size_t structured_bytes_max(const BinaryCloudEvent& event, std::string_view body) {
    constexpr std::size_t around = 64;  // names of members, quotes and commas
    const auto is_special = [](char c) {
        return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\' || c == 0x7f;
    };
    const auto special = static_cast<std::size_t>(std::count_if(body.begin(), body.end(), is_special));
    const std::size_t as_text = body.size() + (escaped_bytes_max - 1) * special;
    std::size_t bytes =
        around + std::max(as_text, body.size() / 3 * 4 + 4) + escaped_bytes_max * event.content_type.size();
    for (const auto& [name, value] : event.attributes)
        bytes += around + escaped_bytes_max * (name.size() + value.size());
    return bytes;
}

boost::system::result<std::string, FeedError> structured_cloud_event(const BinaryCloudEvent& event,
                                                                     std::string_view body, const FeedLimits& limits) {
    JsonWriter json(structured_bytes_max(event, body));
    json.open('{');
    for (const auto& [name, value] : event.attributes) {
        if (!is_cloud_event_name(name) || name == "data" || name == "datacontenttype") {
            return FeedError{FeedError::Kind::not_well_formed,
                             "the header \"ce-" + text::shortened_utf8(name, 64) +
                                 "\" is no CloudEvents attribute; a name has lower-case " +
                                 "letters and digits, and the data's type is the content type"};
        }
        const std::string text_of = header_text(value);
        if (!is_utf8(text_of)) {
            return FeedError{FeedError::Kind::encoding, "the header \"ce-" + name + "\" is not text in UTF-8"};
        }
        json.name(name);
        json.string(text_of);
    }
    if (!event.content_type.empty()) {
        json.name("datacontenttype");
        json.string(event.content_type);
    }
    if (!body.empty() && is_json_type(MediaType(event.content_type).type)) {
        if (auto fault = check_json(body, limits)) return std::move(*fault);
        json.name("data");
        json.literal(body);
    } else if (!body.empty() && !text::find_bad_text(body)) {
        json.name("data");
        json.string(body);
    } else if (!body.empty()) {
        json.name("data_base64");
        json.string(text::encode_base64(body));
    }
    json.close('}');
    return json.take();
}

}  // namespace sluice::feed
