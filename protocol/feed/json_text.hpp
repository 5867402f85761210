// Writing JSON text from left to right, where building a tree of values first would cost too much. Belongs to one
// thread.
#pragma once

#include <string>
#include <string_view>

namespace sluice {

// Appends `text` as a JSON string, with its quotes. The result is valid JSON, one line and valid UTF-8 whatever the
// text is: control characters are escaped, and a byte that is no UTF-8 becomes U+FFFD.
void append_json_string(std::string& json, std::string_view text);

// Puts the commas in. What is opened must be closed, and a member has a name: that is the caller's part.
class JsonWriter {
public:
    explicit JsonWriter(std::string& json) : json_(json) {}

    void open(char bracket) {
        separate();
        json_ += bracket;
    }
    void close(char bracket) { json_ += bracket; }
    void name(std::string_view name) {
        string(name);
        json_ += ':';
    }
    void string(std::string_view text) {
        separate();
        append_json_string(json_, text);
    }
    // A number, true, false or null.
    void literal(std::string_view text) {
        separate();
        json_ += text;
    }

private:
    void separate() {
        const bool is_first = json_.empty() || json_.back() == '{' || json_.back() == '[' || json_.back() == ':';
        if (!is_first) json_ += ',';
    }

    std::string& json_;
};

}  // namespace sluice
