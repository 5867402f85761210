#include "protocol/filter/syntax/lexer.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "protocol/filter/syntax/fault.hpp"
#include "protocol/filter/syntax/spelling.hpp"
#include "protocol/text/ascii.hpp"
#include "protocol/text/name_characters.hpp"
#include "protocol/text/utf8.hpp"

namespace sluice::filter {

namespace {

using namespace std::string_view_literals;

constexpr std::array operator_words = {"and"sv, "or"sv, "div"sv, "mod"sv};
constexpr std::array node_types = {"comment"sv, "text"sv, "processing-instruction"sv, "node"sv};
constexpr std::array symbols = {"!="sv, "<="sv, ">="sv, "//"sv, "::"sv, ".."sv, "="sv, "<"sv, ">"sv, "+"sv, "-"sv,
                                "*"sv,  "|"sv,  "/"sv,  "("sv,  ")"sv,  "["sv,  "]"sv, ","sv, "."sv, "@"sv};

template <typename List>
bool is_one_of(std::string_view text, const List& list) {
    return std::find(list.begin(), list.end(), text) != list.end();
}

class Lexer {
public:
    Lexer(std::string_view text, std::string_view what) : text_(text), what_(what) {}

    std::vector<Token> run() {
        check_encoding();
        for (skip_space(); at_ < text_.size(); skip_space()) tokens_.push_back(next());
        tokens_.push_back({Token::Kind::end, {}, text_.size()});
        return std::move(tokens_);
    }

private:
    void check_encoding() const {
        for (std::size_t i = 0; i < text_.size();) {
            const auto [code, length] = text::utf8_at(text_, i);
            if (length == 0) throw Fault{i, "the " + std::string(what_) + " is not valid UTF-8 here"};
            if (code == 0) throw Fault{i, "a " + std::string(what_) + " can't contain a NUL character"};
            i += length;
        }
    }

    char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

    void skip_space() {
        while (at_ < text_.size() && text::is_ascii_space(text_[at_])) ++at_;
    }

    Token take(Token::Kind kind, std::size_t bytes) {
        const Token token{kind, text_.substr(at_, bytes), at_};
        at_ += bytes;
        return token;
    }

    Token next() {
        const char c = peek();
        if (c == '\'' || c == '"') return literal();
        if (text::is_ascii_digit(c) || (c == '.' && text::is_ascii_digit(peek(1)))) return number();
        if (c == '$') return variable();
        if (name_bytes(at_) > 0) return name();
        if (c == '*' && !operator_expected()) return take(Token::Kind::name, 1);
        if (const std::string_view meant = sign_meant(text_.substr(at_)); !meant.empty())
            throw Fault{at_,
                        "'" + std::string(text_.substr(at_, 2)) + "' is not an operator; write " + std::string(meant)};
        for (const std::string_view symbol : symbols)
            if (text_.substr(at_).starts_with(symbol)) return take(Token::Kind::symbol, symbol.size());
        throw Fault{at_, strange_character()};
    }

    // §3.7: after an operand, "*" multiplies and a name must be one of and, or, div, mod.
    bool operator_expected() const {
        if (tokens_.empty()) return false;
        const Token& previous = tokens_.back();
        if (previous.kind == Token::Kind::word) return false;
        if (previous.kind != Token::Kind::symbol) return true;
        return previous.text == ")" || previous.text == "]" || previous.text == "." || previous.text == "..";
    }

    Token literal() {
        const std::size_t end = text_.find(peek(), at_ + 1);
        if (end == std::string_view::npos)
            throw Fault{at_, std::string("this string has no closing ") + peek() + " quote"};
        const Token token{Token::Kind::literal, text_.substr(at_ + 1, end - at_ - 1), at_};
        at_ = end + 1;
        return token;
    }

    Token number() {
        std::size_t end = at_;
        const auto digits = [&] {
            while (end < text_.size() && text::is_ascii_digit(text_[end])) ++end;
        };
        digits();
        if (end < text_.size() && text_[end] == '.') {
            ++end;
            digits();
        }
        const std::string_view rest = text_.substr(end);
        if (rest.starts_with('e') || rest.starts_with('E'))
            throw Fault{end, "a number has no exponent in XPath; expected digits only, for example 1500000"};
        return take(Token::Kind::number, end - at_);
    }

    Token variable() {
        const std::size_t bytes = qualified_name_bytes(at_ + 1);
        if (bytes == 0) throw Fault{at_ + 1, "expected the name of a variable after '$', for example $title"};
        const Token token{Token::Kind::variable, text_.substr(at_ + 1, bytes), at_};
        at_ += 1 + bytes;
        return token;
    }

    Token name() {
        if (operator_expected()) return word();
        std::size_t bytes = qualified_name_bytes(at_);
        if (text_.substr(at_ + bytes).starts_with(":*")) {
            if (text_.substr(at_, bytes).find(':') != std::string_view::npos)
                throw Fault{at_ + bytes, "a name has one prefix; expected " + std::string(text_.substr(at_, bytes)) +
                                             " or " + std::string(text_.substr(at_, name_bytes(at_))) + ":*"};
            return take(Token::Kind::name, bytes + 2);
        }
        std::size_t after = at_ + bytes;
        while (after < text_.size() && text::is_ascii_space(text_[after])) ++after;
        const std::string_view rest = text_.substr(after);
        if (rest.starts_with("::")) return take(Token::Kind::axis, bytes);
        if (!rest.starts_with('(')) return take(Token::Kind::name, bytes);
        const bool node_type = is_one_of(text_.substr(at_, bytes), node_types);
        return take(node_type ? Token::Kind::node_type : Token::Kind::function, bytes);
    }

    Token word() {
        const std::size_t bytes = name_bytes(at_);
        const std::string text(text_.substr(at_, bytes));
        if (is_one_of(text, operator_words)) return take(Token::Kind::word, bytes);
        std::string message = "expected an operator such as 'and', 'or', '=' or '<' before '" + text + "'";
        std::string_view meant = word_meant(text);
        if (meant.empty() && text::ascii_lower(tokens_.back().text) == "not") meant = word_meant("not");
        if (!meant.empty()) message += "; write " + std::string(meant);
        throw Fault{at_, message};
    }

    // NCName (":" NCName)?, or 0.
    std::size_t qualified_name_bytes(std::size_t begin) const {
        const std::size_t prefix = name_bytes(begin);
        if (prefix == 0 || begin + prefix >= text_.size() || text_[begin + prefix] != ':') return prefix;
        const std::size_t local = name_bytes(begin + prefix + 1);
        return local == 0 ? prefix : prefix + 1 + local;
    }

    std::size_t name_bytes(std::size_t begin) const {
        std::size_t i = begin;
        while (i < text_.size()) {
            const auto [code, length] = text::utf8_at(text_, i);
            if (!(i == begin ? text::is_name_start(code) : text::is_name_char(code))) break;
            i += length;
        }
        return i - begin;
    }

    std::string strange_character() const {
        const auto [c, length] = text::utf8_at(text_, at_);
        const std::string shown(text_.substr(at_, length));
        if (c == U'“' || c == U'”' || c == U'‘' || c == U'’' || c == U'„' || c == '`')
            return shown + " is not a quote here; write 'text' or \"text\"";
        if (c == '!') return "expected '!=' or not(…); '!' alone is not an operator";
        if (c == '&') return "'&' is not an operator; write 'and'";
        if (c == ':') return "expected a name on both sides of ':'";
        if (c < 0x20 || c == 0x7f || c == 0xa0) return "this character is not allowed here; separate words with spaces";
        return "'" + shown + "' is not allowed here";
    }

    std::string_view text_, what_;
    std::size_t at_ = 0;
    std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> tokenize(std::string_view text, std::string_view what) { return Lexer(text, what).run(); }

}  // namespace sluice::filter
