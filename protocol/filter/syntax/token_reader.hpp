// The tokens of a filter in order, and the messages for unexpected ones. Throws a Fault. Views point into the text.
// Belongs to one parser.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/filter/syntax/fault.hpp"
#include "protocol/filter/syntax/lexer.hpp"

namespace sluice::filter {

class TokenReader {
public:
    // `what`: what the text is ("filter"), for messages.
    TokenReader(std::string_view text, std::string_view what);

    const Token& current() const { return tokens_[at_]; }
    const Token& take() { return tokens_[at_++]; }  // must not be at the end
    bool is(Token::Kind kind) const { return current().kind == kind; }
    bool is_symbol(std::string_view text) const { return is(Token::Kind::symbol) && current().text == text; }
    bool accept(std::string_view symbol);
    // `opened`: the offset of the bracket that `symbol` closes.
    void expect_close(std::string_view symbol, std::size_t opened);
    void expect_end() const;

    Fault expected(const std::string& what) const;

private:
    std::string_view text_;
    std::string what_;
    std::vector<Token> tokens_;
    std::size_t at_ = 0;
};

}  // namespace sluice::filter
