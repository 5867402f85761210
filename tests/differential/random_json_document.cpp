#include <cstdio>
#include <string_view>

#include "tests/differential/random_document.hpp"
#include "tests/differential/random_values.hpp"

namespace sluice {

namespace {

// Numbers as JSON writes them, and as filters see them: as they are written, but without exponents.
struct JsonNumber {
    std::string_view json, text;
};
constexpr JsonNumber json_numbers[] = {
    {"0", "0"},       {"12", "12"},   {"-3", "-3"},     {"12.50", "12.50"}, {"1e3", "1000"},
    {"-0.5", "-0.5"}, {"0.1", "0.1"}, {"1E-2", "0.01"}, {"90", "90"},       {"1700000000", "1700000000"}};

// Writes the same values as JSON and as the XML that filters see.
class JsonFeedWriter {
public:
    JsonFeedWriter(Random& random, const DocumentStyle& style) : random_(random), style_(style) {}

    RandomDocument write() {
        json_ += "{\"version\": \"https://jsonfeed.org/version/1.1\"";
        xml_ += "<feed><version>https://jsonfeed.org/version/1.1</version>";
        if (random_.chance(70)) member("title", 1);
        json_ += ", \"items\": [";
        const std::size_t count = random_.between(1, 5);
        for (std::size_t i = 0; i < count; ++i) {
            if (i > 0) json_ += ',';
            xml_ += "<item>";
            object(0);
            xml_ += "</item>";
        }
        json_ += ']';
        if (random_.chance(20)) member("note", 1);
        return {json_ + "}", xml_ + "</feed>", "/feed/item", style_, true};
    }

private:
    void object(std::size_t depth) {
        constexpr std::string_view keys[] = {"id",    "title", "url",          "tags", "price",   "author",
                                             "count", "extra", "content_text", "_own", "category"};
        json_ += '{';
        for (const std::string_view key : keys) {
            if (random_.chance(40)) member(key, depth);
        }
        json_ += '}';
    }

    void member(std::string_view key, std::size_t depth) {
        if (json_.back() != '{') json_ += ", ";
        json_.append("\"").append(key).append("\":");
        if (random_.chance(20)) return array(key, depth);
        element(key, depth);
    }

    // One element for each of the values.
    void array(std::string_view key, std::size_t depth) {
        json_ += '[';
        const std::size_t count = random_.below(4);
        for (std::size_t i = 0; i < count; ++i) {
            if (i > 0) json_ += ',';
            element(key, depth);
        }
        json_ += ']';
    }

    void element(std::string_view key, std::size_t depth) {
        if (random_.chance(4)) {
            json_ += "null";
            return;
        }
        xml_.append("<").append(key).append(">");
        if (depth < 2 && random_.chance(12)) {
            object(depth + 1);
        } else {
            scalar();
        }
        xml_.append("</").append(key).append(">");
    }

    void scalar() {
        if (random_.chance(25)) {
            const JsonNumber& number = random_.pick(json_numbers);
            if (!has_style(number.text, style_)) return scalar();
            json_ += number.json;
            xml_ += number.text;
        } else if (random_.chance(8)) {
            const std::string_view truth = random_.chance(50) ? "true" : "false";
            json_ += truth;
            xml_ += truth;
        } else {
            string(random_value(random_, style_));
        }
    }

    void string(std::string_view text) {
        json_ += '"';
        for (const char c : text) {
            char escape[16];
            const bool must = c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20;
            const bool can = static_cast<unsigned char>(c) < 0x80 && random_.chance(5);
            std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(static_cast<unsigned char>(c)));
            json_ += must || can ? std::string(escape) : std::string(1, c);
            xml_ += c == '<' ? "&lt;" : c == '&' ? "&amp;" : c == '>' ? "&gt;" : std::string(1, c);
        }
        json_ += '"';
    }

    Random& random_;
    const DocumentStyle style_;
    std::string json_, xml_;
};

}  // namespace

RandomDocument random_json_document(Random& random, const DocumentStyle& style) {
    return JsonFeedWriter(random, style).write();
}

}  // namespace sluice
