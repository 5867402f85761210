#include "protocol/filter/syntax/step_parser.hpp"

#include <optional>
#include <string>

#include "protocol/filter/syntax/spelling.hpp"

namespace sluice::filter {

namespace {

Step abbreviated_step(TokenReader& tokens) {
    const std::string text(tokens.take().text);
    if (tokens.is_symbol("["))
        throw Fault{tokens.current().offset, "'" + text + "' can't have a predicate; write " +
                                                 (text == "." ? "self" : "parent") + "::node()[…]"};
    return {text == "." ? Axis::self : Axis::parent, {}, {}};
}

Axis parse_axis(TokenReader& tokens) {
    const std::optional<Axis> axis = find_axis(tokens.current().text);
    if (!axis)
        throw Fault{tokens.current().offset,
                    "'" + std::string(tokens.current().text) +
                        "' is not an axis; expected child, attribute, self, parent, descendant, …"};
    tokens.take();
    tokens.take();  // the lexer has seen the "::"
    return *axis;
}

NodeTest parse_node_type(TokenReader& tokens) {
    const std::string_view type = tokens.take().text;
    const std::size_t opened = tokens.take().offset;  // the lexer has seen the "("
    NodeTest test;
    if (type == "text") test.kind = NodeTest::Kind::text;
    if (type == "comment") test.kind = NodeTest::Kind::comment;
    if (type == "processing-instruction") {
        test.kind = NodeTest::Kind::processing_instruction;
        if (tokens.is(Token::Kind::literal)) test.name = tokens.take().text;
    }
    tokens.expect_close(")", opened);
    return test;
}

NodeTest parse_node_test(TokenReader& tokens) {
    if (tokens.is(Token::Kind::node_type)) return parse_node_type(tokens);
    if (!tokens.is(Token::Kind::name)) throw tokens.expected("a name, '*' or node()");
    const std::string text(tokens.take().text);
    if (text == "*") return {NodeTest::Kind::any_name, {}};
    if (text.ends_with(":*")) return {NodeTest::Kind::any_in_namespace, text.substr(0, text.size() - 1)};
    return {NodeTest::Kind::name, text};
}

}  // namespace

bool starts_step(const TokenReader& tokens) {
    return tokens.is(Token::Kind::name) || tokens.is(Token::Kind::axis) || tokens.is(Token::Kind::node_type) ||
           tokens.is_symbol(".") || tokens.is_symbol("..") || tokens.is_symbol("@");
}

Step parse_step(TokenReader& tokens) {
    if (tokens.is_symbol(".") || tokens.is_symbol("..")) return abbreviated_step(tokens);
    Step step;
    if (tokens.accept("@"))
        step.axis = Axis::attribute;
    else if (tokens.is(Token::Kind::axis))
        step.axis = parse_axis(tokens);
    step.test = parse_node_test(tokens);
    return step;
}

}  // namespace sluice::filter
