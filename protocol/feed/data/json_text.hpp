// Writes JSON text from left to right, where building a tree of values first would cost too much. Belongs to one
// thread.
#pragma once

#include <string>
#include <string_view>

namespace sluice::feed {

// Appends `text` as a JSON string, with its quotes. The result is always valid JSON, valid UTF-8 and one line: control
// characters are escaped, and invalid UTF-8 bytes become U+FFFD.
void append_json_string(std::string& json, std::string_view text);

// The same with a comma before it and a colon behind it.
void append_json_string(std::string& json, std::string_view text, bool has_comma, bool has_colon);

// Inserts the commas. The caller must close what it opens and name the members of objects.
class JsonWriter {
public:
    explicit JsonWriter(std::string& json) : json_(json) {}

    void open(char bracket) {
        separate();
        json_ += bracket;
    }
    void close(char bracket) { json_ += bracket; }
    void name(std::string_view name) { append_json_string(json_, name, !is_first(), true); }
    // The same with a name as it is written, such as R"("id":)".
    void written_name(std::string_view name) { literal(name); }
    void string(std::string_view text) { append_json_string(json_, text, !is_first(), false); }
    // A number, true, false or null.
    void literal(std::string_view text) {
        separate();
        json_ += text;
    }

private:
    bool is_first() const { return json_.empty() || json_.back() == '{' || json_.back() == '[' || json_.back() == ':'; }
    void separate() {
        if (!is_first()) json_ += ',';
    }

    std::string& json_;
};

}  // namespace sluice::feed
