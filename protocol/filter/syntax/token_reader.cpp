#include "protocol/filter/syntax/token_reader.hpp"

#include "protocol/text/utf8.hpp"

namespace sluice::filter {

TokenReader::TokenReader(std::string_view text, std::string_view what)
    : text_(text), what_(what), tokens_(tokenize(text, what)) {
    if (is(Token::Kind::end))
        throw Fault{current().offset, "the " + what_ + " is empty; expected " +
                                          (what_ == "filter" ? "an expression such as category = 'politics'"
                                                             : "a path such as //observation")};
}

bool TokenReader::accept(std::string_view symbol) {
    if (!is_symbol(symbol)) return false;
    ++at_;
    return true;
}

void TokenReader::expect_close(std::string_view symbol, std::size_t opened) {
    if (accept(symbol)) return;
    Fault fault = expected("'" + std::string(symbol) + "'");
    const std::size_t character = 1 + text::count_characters(text_.substr(0, opened));
    fault.message += std::string(" (to close the '") + (symbol == ")" ? "(" : "[") + "' at character " +
                     std::to_string(character) + ")";
    throw fault;
}

void TokenReader::expect_end() const {
    if (!is(Token::Kind::end)) throw expected("an operator or the end of the " + what_);
}

Fault TokenReader::expected(const std::string& what) const {
    const Token& t = current();
    switch (t.kind) {
        case Token::Kind::end:
            return {t.offset, "expected " + what + ", but the " + what_ + " ends here"};
        case Token::Kind::literal:
            return {t.offset, "expected " + what + " before the string"};
        case Token::Kind::variable:
            return {t.offset, "expected " + what + " before '$" + std::string(t.text) + "'"};
        default:
            return {t.offset, "expected " + what + " before '" + std::string(t.text) + "'"};
    }
}

}  // namespace sluice::filter
