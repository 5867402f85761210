#include "protocol/filter/syntax/parser.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "protocol/filter/syntax/fault.hpp"
#include "protocol/filter/syntax/spelling.hpp"
#include "protocol/filter/syntax/step_parser.hpp"
#include "protocol/filter/syntax/token_reader.hpp"
#include "protocol/filter/syntax/xpath_number.hpp"

namespace sluice::filter {

namespace {

using Kind = Expression::Kind;

bool is_n_ary(Kind kind) { return kind == Kind::logical_and || kind == Kind::logical_or || kind == Kind::set_union; }

class Parser {
public:
    Parser(std::string_view text, std::size_t depth_max, std::string_view what)
        : tokens_(text, what), depth_max_(depth_max) {}

    Expression run() {
        Expression e = expression();
        tokens_.expect_end();
        return e;
    }

private:
    // Sets the depth of the tree under e. Every node passes through here once its parts are known.
    Expression finish(Expression e) const {
        std::size_t below = 0;
        const auto look = [&](const std::vector<Expression>& parts) {
            for (const Expression& part : parts) below = std::max(below, part.depth);
        };
        look(e.operands);
        look(e.predicates);
        for (const Step& step : e.steps) look(step.predicates);
        e.depth = below + 1;
        check_depth(e.depth, e.offset);
        return e;
    }

    void check_depth(std::size_t depth, std::size_t offset) const {
        if (depth > depth_max_)
            throw Fault{offset, "the expression is nested deeper than " + std::to_string(depth_max_) +
                                    " levels (limits.filter_depth)"};
    }

    Expression node(Kind kind, std::size_t offset) const {
        Expression e;
        e.kind = kind;
        e.offset = offset;
        return e;
    }

    Expression expression() {
        check_depth(++nesting_, tokens_.current().offset);
        Expression e = binary(unary(), precedence_min);
        --nesting_;
        return e;
    }

    const BinaryOperator* binary_operator() const {
        const bool may_be = tokens_.is(Token::Kind::symbol) || tokens_.is(Token::Kind::word);
        return may_be ? find_operator(tokens_.current().text) : nullptr;
    }

    // Precedence climbing: extends `left` with operators of at least this precedence, all left-associative.
    Expression binary(Expression left, int least) {
        const BinaryOperator* op = binary_operator();
        while (op && op->precedence >= least) {
            const std::size_t offset = tokens_.take().offset;
            // A minus sign binds less tightly than "|", so the right operand of "|" is not a unary expression.
            Expression right = op->kind == Kind::set_union ? path_expression() : unary();
            const BinaryOperator* next = binary_operator();
            while (next && next->precedence > op->precedence) {
                right = binary(std::move(right), next->precedence);
                next = binary_operator();
            }
            left = combine(*op, offset, std::move(left), std::move(right));
            op = next;
        }
        return left;
    }

    Expression combine(const BinaryOperator& op, std::size_t offset, Expression left, Expression right) const {
        if (left.kind == op.kind && is_n_ary(op.kind)) {
            left.depth = std::max(left.depth, right.depth + 1);
            check_depth(left.depth, offset);
            left.operands.push_back(std::move(right));
            return left;
        }
        Expression e = node(op.kind, offset);
        e.operands.push_back(std::move(left));
        e.operands.push_back(std::move(right));
        return finish(std::move(e));
    }

    Expression unary() {
        if (!tokens_.is_symbol("-")) return binary(path_expression(), precedence_union);
        check_depth(++nesting_, tokens_.current().offset);
        Expression e = node(Kind::negate, tokens_.take().offset);
        e.operands.push_back(unary());
        --nesting_;
        return finish(std::move(e));
    }

    // PathExpr: a location path, or a primary expression with predicates and steps.
    Expression path_expression() {
        std::optional<Expression> head = primary();
        if (!head) return location_path();
        const bool continues = tokens_.is_symbol("[") || tokens_.is_symbol("/") || tokens_.is_symbol("//");
        if (!continues) return std::move(*head);

        Expression path = node(Kind::path, head->offset);
        path.operands.push_back(std::move(*head));
        path.predicates = predicates();
        if (tokens_.is_symbol("/") || tokens_.is_symbol("//")) more_steps(path);
        return finish(std::move(path));
    }

    std::optional<Expression> primary() {
        const Token& t = tokens_.current();
        switch (t.kind) {
            case Token::Kind::number: {
                Expression e = node(Kind::number, tokens_.take().offset);
                e.number = xpath_number(t.text);
                return e;
            }
            case Token::Kind::literal:
            case Token::Kind::variable: {
                const Kind kind = t.kind == Token::Kind::literal ? Kind::string : Kind::variable;
                Expression e = node(kind, tokens_.take().offset);
                e.text = t.text;
                return e;
            }
            case Token::Kind::function:
                return call();
            default:
                break;
        }
        if (!tokens_.is_symbol("(")) return std::nullopt;
        const std::size_t opened = tokens_.take().offset;
        Expression e = expression();
        tokens_.expect_close(")", opened);
        return e;
    }

    Expression call() {
        Expression e = node(Kind::call, tokens_.current().offset);
        e.text = tokens_.take().text;
        const std::size_t opened = tokens_.take().offset;  // the lexer has seen the "("
        if (!tokens_.is_symbol(")")) {
            do e.operands.push_back(expression());
            while (tokens_.accept(","));
        }
        tokens_.expect_close(")", opened);
        return finish(std::move(e));
    }

    std::vector<Expression> predicates() {
        std::vector<Expression> list;
        while (tokens_.is_symbol("[")) {
            const std::size_t opened = tokens_.take().offset;
            list.push_back(expression());
            tokens_.expect_close("]", opened);
        }
        return list;
    }

    Expression location_path() {
        Expression path = node(Kind::path, tokens_.current().offset);
        if (tokens_.is_symbol("/")) {
            path.absolute = true;
            tokens_.take();
            if (starts_step(tokens_)) relative_path(path);
        } else if (tokens_.is_symbol("//")) {
            path.absolute = true;
            more_steps(path);
        } else {
            if (!starts_step(tokens_)) throw tokens_.expected("a path, a value or '('");
            relative_path(path);
        }
        return finish(std::move(path));
    }

    void relative_path(Expression& path) {
        path.steps.push_back(step());
        more_steps(path);
    }

    void more_steps(Expression& path) {
        while (tokens_.is_symbol("/") || tokens_.is_symbol("//")) {
            if (tokens_.take().text == "//") path.steps.push_back({Axis::descendant_or_self, {}, {}});
            if (!starts_step(tokens_)) throw tokens_.expected("a step such as a name, '*', '@' or '..'");
            path.steps.push_back(step());
        }
    }

    Step step() {
        Step step = parse_step(tokens_);
        step.predicates = predicates();
        return step;
    }

    TokenReader tokens_;
    std::size_t nesting_ = 0;
    std::size_t depth_max_;
};

}  // namespace

Expression parse(std::string_view text, std::size_t depth_max, std::string_view what) {
    return Parser(text, depth_max, what).run();
}

}  // namespace sluice::filter
