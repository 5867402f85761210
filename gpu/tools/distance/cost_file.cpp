#include "gpu/tools/distance/cost_file.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

namespace sluice::edits {

namespace {

constexpr unsigned cost_max = 255;

struct Word {
    std::string_view text;
    std::size_t column;  // from 1 on
};

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

// The words of a line up to its comment. A character in quotes, such as ' ' or '#', is a word or begins one.
std::vector<Word> words_of(std::string_view line) {
    std::vector<Word> words;
    for (std::size_t at = 0; at < line.size();) {
        if (is_blank(line[at])) {
            ++at;
            continue;
        }
        if (line[at] == '#') break;
        const std::size_t begin = at;
        if (line[at] == '\'' && at + 2 < line.size() && line[at + 2] == '\'') at += 3;
        while (at < line.size() && !is_blank(line[at])) ++at;
        words.push_back({line.substr(begin, at - begin), begin + 1});
    }
    return words;
}

// A character as it is written in the file: itself, or in quotes, as the quote itself must be.
std::optional<char> character_of(std::string_view word) {
    if (word.size() == 3 && word.front() == '\'' && word.back() == '\'')
        word = word.substr(1, 1);
    else if (word == "'")
        return std::nullopt;
    if (word.size() != 1 || static_cast<unsigned char>(word[0]) >= 128) return std::nullopt;
    return word[0];
}

std::string quoted(std::string_view word) {
    std::string shown = "'";
    for (const char c : word.substr(0, 32)) shown += c >= ' ' && c <= '~' ? c : '?';
    return shown + (word.size() > 32 ? "…'" : "'");
}
std::string quoted(char c) { return quoted(std::string_view(&c, 1)); }

std::string counted(std::size_t n, const std::string& noun) {
    return std::to_string(n) + " " + noun + (n == 1 ? "" : "s");
}

class CostReader {
public:
    CostFile read(std::string_view text) {
        for (std::size_t line = 1; file_.error.empty() && !text.empty(); ++line) {
            const std::size_t end = std::min(text.find('\n'), text.size());
            line_ = line;
            read_line(words_of(text.substr(0, end)));
            text.remove_prefix(std::min(end + 1, text.size()));
        }
        if (file_.error.empty()) check_complete();
        return std::move(file_);
    }

private:
    void fail(std::string error, std::size_t column = 0) {
        file_.error = std::move(error);
        file_.line = std::max<std::size_t>(line_, 1);
        file_.column = column;
    }

    void read_line(const std::vector<Word>& words) {
        if (words.empty()) return;
        if (has_header_) return read_row(words);
        if (words[0].text.size() > 1 && words[0].text[0] != '\'' && !character_of(words[0].text))
            return read_setting(words);
        read_header(words);
    }

    void read_setting(const std::vector<Word>& words) {
        const auto* setting = std::ranges::find(settings_, words[0].text, &Setting::name);
        if (setting == std::end(settings_))
            return fail("unknown setting " + quoted(words[0].text) +
                            "; expected delete, insert, other, or a line of characters",
                        words[0].column);
        const std::string name(setting->name);
        bool& given = given_[setting - settings_];
        if (given) return fail("'" + name + "' is set twice", words[0].column);
        if (words.size() != 2) return fail("expected one number after '" + name + "'");
        given = true;
        if (const auto cost = read_cost(words[1], setting->least)) file_.matrix.*(setting->member) = *cost;
    }

    std::optional<std::uint8_t> read_cost(Word word, unsigned least) {
        unsigned cost = 0;
        const char* end = word.text.data() + word.text.size();
        const auto [stop, error] = std::from_chars(word.text.data(), end, cost);
        if (error == std::errc() && stop == end && cost >= least && cost <= cost_max)
            return static_cast<std::uint8_t>(cost);
        fail("expected a whole number from " + std::to_string(least) + " to " + std::to_string(cost_max) + ", not " +
                 quoted(word.text),
             word.column);
        return std::nullopt;
    }

    void read_header(const std::vector<Word>& words) {
        std::string& characters = file_.matrix.characters;
        for (const Word& word : words) {
            const auto c = character_of(word.text);
            if (!c) return fail("expected one ASCII character, not " + quoted(word.text), word.column);
            if (characters.find(*c) != std::string::npos)
                return fail("the header has " + quoted(*c) + " twice", word.column);
            if (characters.size() == Costs::matrix_characters_max)
                return fail("the header has more than " + std::to_string(Costs::matrix_characters_max) + " characters",
                            word.column);
            characters += *c;
        }
        has_header_ = true;
        file_.matrix.substitution.assign(characters.size() * characters.size(), 0);
        has_row_.assign(characters.size(), false);
    }

    void read_row(const std::vector<Word>& words) {
        const std::string& characters = file_.matrix.characters;
        const std::size_t n = characters.size();
        const auto c = character_of(words[0].text);
        const std::size_t x = c ? characters.find(*c) : std::string::npos;
        if (x == std::string::npos)
            return fail("row " + quoted(words[0].text) + " is not in the header", words[0].column);
        if (has_row_[x]) return fail("row " + quoted(*c) + " is there twice", words[0].column);
        if (words.size() != n + 1)
            return fail("row " + quoted(*c) + " has " + counted(words.size() - 1, "cost") + "; the header has " +
                        counted(n, "character"));
        has_row_[x] = true;
        for (std::size_t y = 0; y < n; ++y) {
            const auto cost = read_cost(words[y + 1], 0);
            if (!cost) return;
            if (x == y && *cost != 0)
                return fail(
                    "row " + quoted(*c) + ": a character in place of itself costs 0, not " + std::to_string(*cost),
                    words[y + 1].column);
            file_.matrix.substitution[x * n + y] = *cost;
        }
    }

    void check_complete() {
        for (std::size_t i = 0; i < std::size(settings_); ++i) {
            if (!given_[i]) return fail("there is no line '" + std::string(settings_[i].name) + " NUMBER'");
        }
        const auto missing = std::ranges::find(has_row_, false);
        if (missing != has_row_.end())
            fail("there is no row " +
                 quoted(file_.matrix.characters[static_cast<std::size_t>(missing - has_row_.begin())]));
    }

    struct Setting {
        std::string_view name;
        unsigned least;
        std::uint8_t CostMatrix::*member;
    };
    static constexpr Setting settings_[] = {
        {"delete", 1, &CostMatrix::deletion}, {"insert", 1, &CostMatrix::insertion}, {"other", 0, &CostMatrix::other}};

    CostFile file_;
    std::size_t line_ = 0;
    bool given_[std::size(settings_)] = {};
    bool has_header_ = false;
    std::vector<bool> has_row_;  // [index of character]
};

}  // namespace

CostFile parse_costs(std::string_view text) { return CostReader().read(text); }

}  // namespace sluice::edits
