// Splits a filter into tokens, following the disambiguation rules of XPath 1.0 §3.7. Throws a Fault at text that is not
// a token. Pure function; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace sluice::filter {

struct Token {
    enum class Kind : std::uint8_t {
        end,
        number,
        literal,   // text without the quotes
        variable,  // text without the $
        name,      // a name test: "title", "dc:creator", "*", "dc:*"
        function,  // a name before "(" that is not a node type
        node_type,
        axis,
        word,    // and, or, div, mod as operators
        symbol,  // everything else: = != < <= > >= + - * | / // ( ) [ ] , . .. @ ::
    };

    Kind kind = Kind::end;
    std::string_view text;
    std::size_t offset = 0;
};

// The last token is Kind::end. Views point into `text`. `what` names the text in messages ("filter").
std::vector<Token> tokenize(std::string_view text, std::string_view what = "filter");

}  // namespace sluice::filter
