#include "tests/differential/shrink.hpp"

#include <cctype>
#include <string_view>
#include <vector>

namespace sluice {

namespace {

// Splits into pieces that make sense alone: names and numbers, quoted texts, tags, single characters.
std::vector<std::string> tokens_of(std::string_view text, std::string_view quotes) {
    std::vector<std::string> tokens;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = at + 1;
        const auto in_word = [](char c) {
            return std::isalnum(static_cast<unsigned char>(c)) != 0 || static_cast<unsigned char>(c) >= 0x80;
        };
        if (const std::size_t quote = quotes.find(text[at]); quote != quotes.npos) {
            const std::size_t close = text.find(text[at] == '<' ? '>' : text[at], at + 1);
            if (close != text.npos) end = close + 1;
        } else if (in_word(text[at])) {
            while (end < text.size() && in_word(text[end])) ++end;
        }
        tokens.emplace_back(text.substr(at, end - at));
        at = end;
    }
    return tokens;
}

std::string join(const std::vector<std::string>& tokens) {
    std::string text;
    for (const std::string& token : tokens) text += token;
    return text;
}

// Removes runs of tokens, the longest first, as long as `fails` holds for the rest.
template <class Fails>
std::string shrink_text(const std::string& text, std::string_view quotes, const Fails& fails) {
    std::vector<std::string> tokens = tokens_of(text, quotes);
    for (std::size_t length = tokens.size(); length > 0; length = std::min(length - 1, tokens.size())) {
        for (std::size_t at = 0; at + length <= tokens.size();) {
            std::vector<std::string> fewer = tokens;
            const auto begin = fewer.begin() + static_cast<std::ptrdiff_t>(at);
            fewer.erase(begin, begin + static_cast<std::ptrdiff_t>(length));
            if (fails(join(fewer))) {
                tokens = std::move(fewer);
            } else {
                ++at;
            }
        }
    }
    return join(tokens);
}

}  // namespace

OracleCase shrink(OracleCase failing, const std::function<bool(const OracleCase&)>& fails) {
    failing.filter.text = shrink_text(failing.filter.text, "'\"", [&](const std::string& text) {
        return fails({{text, failing.filter.selects}, failing.document});
    });
    const RandomDocument& document = failing.document;
    const std::string small = shrink_text(document.expected, "<", [&](const std::string& text) {
        return fails({failing.filter, {text, text, document.items, document.style, true}});
    });
    const RandomDocument smaller{small, small, document.items, document.style, true};
    if (fails({failing.filter, smaller})) failing.document = smaller;
    return failing;
}

}  // namespace sluice
