#include "tests/unit/protocol/filter/random_expression.hpp"

#include "gpu/api/predicate.hpp"

namespace sluice::filter {

namespace {

const std::vector<std::string> names = {"a", "b", "c", "item", "n:a", "*"};

}  // namespace

std::string RandomExpression::expression(int depth) {
    const auto inner = [&] { return expression(depth - 1); };
    if (depth <= 0) return node_set(0);
    if (extended_ && chance(4)) return extension();
    switch (below(14)) {
        case 0:
        case 1:
            return inner() + " and " + inner();
        case 2:
        case 3:
            return inner() + " or " + inner();
        case 4:
            return "(" + space() + inner() + space() + ")";
        case 5:
            return "not(" + inner() + ")";
        case 6:
            return one_of({"contains(", "starts-with("}) + any(depth - 1) + "," + space() + any(depth - 1) + ")";
        case 7:
            return any(depth - 1);
        case 8:
            return "boolean(" + inner() + ")";
        case 9:
            return any(depth - 1) + " " + one_of({"=", "!=", "<", "<=", ">", ">="}) + " " + any(depth - 1);
        case 10:
            return constant() + space() + one_of({"=", "!=", "<", "<=", ">", ">="}) + space() + node_set(1);
        default:
            return node_set(1) + space() + one_of({"=", "!=", "<", "<=", ">", ">="}) + space() + constant();
    }
}

std::string RandomExpression::extension() {
    static const bool has_regex = engine::invalid_reason({engine::Measure::Kind::matches, "a", "", 0, 0}).empty();
    const std::string comparison = one_of({" = ", " != ", " < ", " <= ", " > ", " >= "});
    const std::string of = one_of({"a", "../b/@x", "$title", "$category", ".", "string(a)", "normalize-space(b)"});
    const std::string nodes = one_of({"a", "*/text()", "$link", "$category"});
    switch (below(10)) {
        case 8:
            return computed(of) + comparison + one_of({"2", "'3'", "-1", "0.5", "number('x')"});
        case 9:
            if (has_regex && chance(2))
                return one_of({"matches(" + of + ", 'a.*b')", "matches(" + nodes + ", \"o'?\")"});
            return one_of({"approx-contains(" + of + ", " + one_of({"'ab'", "'x'"}) + ", 1)",
                           nodes + "[approx-contains(., 'x', 0)]"});
        case 0:
            return "ends-with(" + of + ", " + constant() + ")";
        case 1:
            return "lower-case(" + nodes + ")" + comparison + constant();
        case 2:
            return one_of({"contains(", "starts-with(", "ends-with("}) + "lower-case(" + nodes + "), 'x')";
        case 3:
            return "date(" + nodes + ")" + comparison + one_of({"date('2024-01-01')", "5", "'5'", "number('x')"});
        case 4:
            return constant() + comparison + "string(lower-case(" + nodes + "))";
        case 5:
            return one_of(
                {"$published > $updated", "$path = '/a/b'", "contains($path, 'x')", "starts-with($path, '/a')"});
        case 6:
            return nodes + "[ends-with(., " + constant() + ")]";
        default:
            return "$category[" + of_value() + "]";
    }
}

std::string RandomExpression::of_value() {
    const std::string test =
        one_of({". = 'x'", ". < 2", "contains(., 'a')", "1", "position() = last()", ". = $title", "string-length() > 1",
                "string(.) != '' and not(number() > 1)", "$author[. = 'x']", "(.)[self::node()] = ."});
    return chance(3) ? test + one_of({" or ", " and "}) + of_value() : test;
}

std::string RandomExpression::computed(const std::string& of) {
    return one_of({"approx-distance(" + of + ", 'xy')", "approx-distance(" + of + ", 'xy', 'vowels')",
                   "edit-distance(" + of + ", 'xyz', 'typing')", "align(" + of + ", 'acgt')",
                   "align-global(" + of + ", 'MKV', 'blosum62')", "align(" + of + ", 'ACG', 'dna:2,-1,3,1')",
                   "laminarity(" + of + ", 0.25, 3)", "determinism(" + of + ", 1)", "recurrence-rate(" + of + ", .5)"});
}

std::string RandomExpression::selection(int depth) {
    std::string text = one_of({"/", "//", "//"}) + step(depth);
    for (auto n = below(3); n > 0; --n) text += one_of({"/", "/", "/", "//"}) + step(depth);
    if (chance(8)) text = "(" + text + ")[" + any(1) + "]";
    return chance(6) ? text + " | " + selection(depth - 1) : text;
}

std::string RandomExpression::step(int depth) {
    static const std::vector<std::string> axes = {"self",
                                                  "parent",
                                                  "descendant",
                                                  "ancestor-or-self",
                                                  "following-sibling",
                                                  "preceding-sibling",
                                                  "descendant-or-self",
                                                  "ancestor",
                                                  "following"};
    std::string text = one_of(names);
    if (chance(10)) text = one_of(axes) + "::" + one_of({"node()", "*", "item", "a"});
    if (depth > 0 && chance(4)) text += "[" + (chance(6) ? number(depth - 1) : expression(depth - 1)) + "]";
    if (depth > 0 && chance(6))
        text += "[" + one_of({". = 'x'", ". < 2", "contains(., 'a')", "1", "starts-with(.,'')"}) + "]";
    return text;
}

std::string RandomExpression::path(int depth) {
    std::string text = one_of({"", "", "", "", "../", "../../", "./", ".//", "child::", "/", "//"});
    for (auto n = below(3); n > 0; --n) text += step(depth - 1) + "/";
    return text + (chance(4) ? one_of({"@x", "@*", "text()", "@y", "node()", ".."}) : step(depth - 1));
}

std::string RandomExpression::node_set(int depth) {
    switch (below(10)) {
        case 0:
            return one_of({".", "..", "../..", "."});
        case 1:
            return depth > 0 ? "(" + path(depth) + ")" + (chance(2) ? "[1]" : "") : "a";
        case 2:
            return depth > 0 ? "(" + path(depth - 1) + " | " + path(depth - 1) + ")" : "b";
        default:
            return path(depth);
    }
}

std::string RandomExpression::text(int depth) {
    switch (below(8)) {
        case 0:
            return "string(" + any(depth - 1) + ")";
        case 1:
            return "normalize-space(" + node_set(depth - 1) + ")";
        case 2:
            return "concat(" + any(depth - 1) + ", " + any(depth - 1) + ")";
        case 3:
            return "substring(" + any(depth - 1) + ", " + number(depth - 1) + ")";
        case 4:
            return one_of({"name(", "local-name("}) + one_of({"", ".", "..", "../..", "a"}) + ")";
        case 5:
            return "translate(" + any(depth - 1) + ", 'ab', 'b')";
        case 6:
            return one_of({"string()", "normalize-space()"});
        default:
            return constant();
    }
}

std::string RandomExpression::number(int depth) {
    switch (below(9)) {
        case 0:
            return "count(" + node_set(depth - 1) + ")";
        case 1:
            return "sum(" + node_set(depth - 1) + ")";
        case 2:
            return "string-length(" + any(depth - 1) + ")";
        case 3:
            return "number(" + any(depth - 1) + ")";
        case 4:
            return depth > 0 ? number(depth - 1) + " " + one_of({"+", "-", "*", "div", "mod"}) + " " + number(depth - 1)
                             : "1";
        case 5:
            return "-" + node_set(depth - 1);
        case 6:
            return one_of({"floor(", "ceiling(", "round("}) + any(depth - 1) + ")";
        default:
            return one_of({"0", "1", "2", "-1", "1.5", "position()", "last()"});
    }
}

std::string RandomExpression::constant() {
    return one_of({"'x'", "\"a\"", "''", "'1'", "' 2 '", "1", "0", "2", "-1", "-0", "1.5", "1 div 0", "number('z')",
                   "true()", "false()", "concat('a', 'b')", "'it' = \"it's\"", "2 + 3 * 4"});
}

std::string RandomExpression::any(int depth) {
    if (depth <= 0) return chance(2) ? node_set(0) : constant();
    switch (below(6)) {
        case 0:
            return constant();
        case 1:
            return text(depth);
        case 2:
            return number(depth);
        case 3:
            return "(" + expression(depth - 1) + ")";
        default:
            return node_set(depth);
    }
}

}  // namespace sluice::filter
