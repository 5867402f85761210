#include "protocol/feed/json_ranges.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include "protocol/text/ascii.hpp"

namespace sluice {

namespace {

// Walks over valid JSON, and so looks no closer than it must to find where a value ends.
class JsonWalker {
public:
    explicit JsonWalker(std::string_view text) : text_(text) {}

    bool take(char c) {
        skip_space();
        if (at_ == text_.size() || text_[at_] != c) return false;
        ++at_;
        return true;
    }

    std::string_view value() {
        skip_space();
        const std::size_t begin = at_;
        std::size_t depth = 0;
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if (c == '"') {
                skip_string();
            } else if (c == '{' || c == '[') {
                ++depth;
                ++at_;
            } else if (c == '}' || c == ']') {
                if (depth == 0) break;  // of what the value is in
                --depth;
                ++at_;
            } else if (depth == 0 && (c == ',' || c == ':' || ascii_space.find(c) != std::string_view::npos)) {
                break;
            } else {
                ++at_;
                continue;
            }
            if (depth == 0) break;
        }
        return text_.substr(begin, at_ - begin);
    }

private:
    void skip_space() { at_ = std::min(text_.find_first_not_of(ascii_space, at_), text_.size()); }

    // A quote ends the string unless an odd number of backslashes stands before it.
    void skip_string() {
        for (std::size_t end = at_ + 1; (end = text_.find('"', end)) != std::string_view::npos; ++end) {
            const std::size_t last = text_.find_last_not_of('\\', end - 1);
            if ((end - last) % 2 == 1) {
                at_ = end + 1;
                return;
            }
        }
        at_ = text_.size();
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

bool is_key(std::string_view quoted, std::string_view key) {
    if (quoted.find('\\') == std::string_view::npos) return quoted.substr(1, quoted.size() - 2) == key;
    return boost::json::parse(quoted).as_string() == key;
}

}  // namespace

std::vector<std::string_view> json_array_elements(std::string_view text, std::string_view key) {
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    std::vector<std::string_view> elements;
    JsonWalker walker(text);
    if (!walker.take('{')) return elements;
    while (!walker.take('}')) {
        const bool is_wanted = is_key(walker.value(), key);
        walker.take(':');
        if (is_wanted) elements.clear();
        if (is_wanted && walker.take('[')) {
            while (!walker.take(']')) {
                elements.push_back(walker.value());
                walker.take(',');
            }
        } else {
            walker.value();
        }
        walker.take(',');
    }
    return elements;
}

}  // namespace sluice
