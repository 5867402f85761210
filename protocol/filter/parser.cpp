#include "protocol/filter/parser.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "protocol/filter/fault.hpp"
#include "protocol/filter/lexer.hpp"
#include "protocol/filter/xpath_number.hpp"
#include "protocol/text/utf8.hpp"

namespace sluice::xpath {

namespace {

using Kind = Expression::Kind;

struct BinaryOperator {
    std::string_view text;
    Kind kind;
    int precedence;
};

constexpr int precedence_union = 7;
constexpr BinaryOperator binary_operators[] = {
    {"or", Kind::logical_or, 1}, {"and", Kind::logical_and, 2},
    {"=", Kind::equal, 3},       {"!=", Kind::not_equal, 3},
    {"<", Kind::less, 4},        {"<=", Kind::less_equal, 4},
    {">", Kind::greater, 4},     {">=", Kind::greater_equal, 4},
    {"+", Kind::add, 5},         {"-", Kind::subtract, 5},
    {"*", Kind::multiply, 6},    {"div", Kind::divide, 6},
    {"mod", Kind::modulo, 6},    {"|", Kind::set_union, precedence_union},
};

constexpr std::pair<std::string_view, Axis> axes[] = {
    {"child", Axis::child},
    {"attribute", Axis::attribute},
    {"self", Axis::self},
    {"parent", Axis::parent},
    {"descendant", Axis::descendant},
    {"descendant-or-self", Axis::descendant_or_self},
    {"ancestor", Axis::ancestor},
    {"ancestor-or-self", Axis::ancestor_or_self},
    {"following", Axis::following},
    {"following-sibling", Axis::following_sibling},
    {"preceding", Axis::preceding},
    {"preceding-sibling", Axis::preceding_sibling},
    {"namespace", Axis::name_space},
};

bool is_n_ary(Kind kind) { return kind == Kind::logical_and || kind == Kind::logical_or || kind == Kind::set_union; }

class Parser {
public:
    Parser(std::string_view text, std::size_t depth_max)
        : text_(text), tokens_(tokenize(text)), depth_max_(depth_max) {}

    Expression run() {
        if (current().kind == Token::Kind::end)
            throw Fault{current().offset, "the filter is empty; expected an expression such as category = 'politics'"};
        Expression e = expression();
        if (current().kind != Token::Kind::end) throw expected("an operator or the end of the filter");
        return e;
    }

private:
    const Token& current() const { return tokens_[at_]; }
    const Token& take() { return tokens_[at_++]; }
    bool is(Token::Kind kind) const { return current().kind == kind; }
    bool is_symbol(std::string_view text) const { return is(Token::Kind::symbol) && current().text == text; }
    bool accept(std::string_view symbol) {
        if (!is_symbol(symbol)) return false;
        ++at_;
        return true;
    }

    Fault expected(const std::string& what) const {
        const Token& t = current();
        switch (t.kind) {
            case Token::Kind::end:
                return {t.offset, "expected " + what + ", but the filter ends here"};
            case Token::Kind::literal:
                return {t.offset, "expected " + what + " before the string"};
            case Token::Kind::variable:
                return {t.offset, "expected " + what + " before '$" + std::string(t.text) + "'"};
            default:
                return {t.offset, "expected " + what + " before '" + std::string(t.text) + "'"};
        }
    }

    void expect_close(std::string_view symbol, std::size_t opened) {
        if (accept(symbol)) return;
        Fault fault = expected("'" + std::string(symbol) + "'");
        const std::size_t character = 1 + count_characters(text_.substr(0, opened));
        fault.message += std::string(" (to close the '") + (symbol == ")" ? "(" : "[") + "' at character " +
                         std::to_string(character) + ")";
        throw fault;
    }

    // Depth of the tree under e. Every node goes through here once its parts are known.
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
        check_depth(++nesting_, current().offset);
        Expression e = binary(unary(), 1);
        --nesting_;
        return e;
    }

    const BinaryOperator* binary_operator() const {
        if (!is(Token::Kind::symbol) && !is(Token::Kind::word)) return nullptr;
        const auto found = std::find_if(std::begin(binary_operators), std::end(binary_operators),
                                        [&](const BinaryOperator& op) { return op.text == current().text; });
        return found == std::end(binary_operators) ? nullptr : found;
    }

    // Precedence climbing: extends `left` with operators of at least this precedence, all left-associative.
    Expression binary(Expression left, int precedence_min) {
        const BinaryOperator* op = binary_operator();
        while (op && op->precedence >= precedence_min) {
            const std::size_t offset = take().offset;
            // A minus sign binds less tightly than "|", so what stands right of "|" is no unary expression.
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
        if (!is_symbol("-")) return binary(path_expression(), precedence_union);
        check_depth(++nesting_, current().offset);
        Expression e = node(Kind::negate, take().offset);
        e.operands.push_back(unary());
        --nesting_;
        return finish(std::move(e));
    }

    // PathExpr: a location path, or a primary expression with predicates and steps.
    Expression path_expression() {
        std::optional<Expression> head = primary();
        if (!head) return location_path();
        const bool continues = is_symbol("[") || is_symbol("/") || is_symbol("//");
        if (!continues) return std::move(*head);

        Expression path = node(Kind::path, head->offset);
        path.operands.push_back(std::move(*head));
        path.predicates = predicates();
        if (is_symbol("/") || is_symbol("//")) more_steps(path);
        return finish(std::move(path));
    }

    std::optional<Expression> primary() {
        const Token& t = current();
        switch (t.kind) {
            case Token::Kind::number: {
                Expression e = node(Kind::number, take().offset);
                e.number = xpath_number(t.text);
                return e;
            }
            case Token::Kind::literal: {
                Expression e = node(Kind::string, take().offset);
                e.text = t.text;
                return e;
            }
            case Token::Kind::variable: {
                Expression e = node(Kind::variable, take().offset);
                e.text = t.text;
                return e;
            }
            case Token::Kind::function:
                return call();
            default:
                break;
        }
        if (!is_symbol("(")) return std::nullopt;
        const std::size_t opened = take().offset;
        Expression e = expression();
        expect_close(")", opened);
        return e;
    }

    Expression call() {
        Expression e = node(Kind::call, current().offset);
        e.text = take().text;
        const std::size_t opened = take().offset;  // the lexer has seen the "("
        if (!is_symbol(")")) {
            do e.operands.push_back(expression());
            while (accept(","));
        }
        expect_close(")", opened);
        return finish(std::move(e));
    }

    std::vector<Expression> predicates() {
        std::vector<Expression> list;
        while (is_symbol("[")) {
            const std::size_t opened = take().offset;
            list.push_back(expression());
            expect_close("]", opened);
        }
        return list;
    }

    Expression location_path() {
        Expression path = node(Kind::path, current().offset);
        if (is_symbol("/")) {
            path.absolute = true;
            take();
            if (starts_step()) relative_path(path);
        } else if (is_symbol("//")) {
            path.absolute = true;
            more_steps(path);
        } else {
            if (!starts_step()) throw expected("a path, a value or '('");
            relative_path(path);
        }
        return finish(std::move(path));
    }

    bool starts_step() const {
        return is(Token::Kind::name) || is(Token::Kind::axis) || is(Token::Kind::node_type) || is_symbol(".") ||
               is_symbol("..") || is_symbol("@");
    }

    void relative_path(Expression& path) {
        path.steps.push_back(step());
        more_steps(path);
    }

    void more_steps(Expression& path) {
        while (is_symbol("/") || is_symbol("//")) {
            if (take().text == "//") path.steps.push_back({Axis::descendant_or_self, {}, {}});
            if (!starts_step()) throw expected("a step such as a name, '*', '@' or '..'");
            path.steps.push_back(step());
        }
    }

    Step step() {
        if (is_symbol(".") || is_symbol("..")) {
            const std::string text(take().text);
            if (is_symbol("["))
                throw Fault{current().offset, "'" + text + "' can't have a predicate; write " +
                                                  (text == "." ? "self" : "parent") + "::node()[…]"};
            return {text == "." ? Axis::self : Axis::parent, {}, {}};
        }
        Step step;
        if (accept("@"))
            step.axis = Axis::attribute;
        else if (is(Token::Kind::axis))
            step.axis = axis();
        step.test = node_test();
        step.predicates = predicates();
        return step;
    }

    Axis axis() {
        const auto found = std::find_if(std::begin(axes), std::end(axes),
                                        [&](const auto& entry) { return entry.first == current().text; });
        if (found == std::end(axes))
            throw Fault{current().offset, "'" + std::string(current().text) +
                                              "' is no axis; expected child, attribute, self, parent, descendant, …"};
        take();
        take();  // the lexer has seen the "::"
        return found->second;
    }

    NodeTest node_test() {
        if (is(Token::Kind::node_type)) return node_type();
        if (!is(Token::Kind::name)) throw expected("a name, '*' or node()");
        const std::string text(take().text);
        if (text == "*") return {NodeTest::Kind::any_name, {}};
        if (text.ends_with(":*")) return {NodeTest::Kind::any_in_namespace, text.substr(0, text.size() - 1)};
        return {NodeTest::Kind::name, text};
    }

    NodeTest node_type() {
        const std::string_view type = take().text;
        const std::size_t opened = take().offset;  // the lexer has seen the "("
        NodeTest test;
        if (type == "text") test.kind = NodeTest::Kind::text;
        if (type == "comment") test.kind = NodeTest::Kind::comment;
        if (type == "processing-instruction") {
            test.kind = NodeTest::Kind::processing_instruction;
            if (is(Token::Kind::literal)) test.name = take().text;
        }
        expect_close(")", opened);
        return test;
    }

    std::string_view text_;
    std::vector<Token> tokens_;
    std::size_t at_ = 0;
    std::size_t nesting_ = 0;
    std::size_t depth_max_;
};

}  // namespace

Expression parse(std::string_view text, std::size_t depth_max) { return Parser(text, depth_max).run(); }

}  // namespace sluice::xpath
