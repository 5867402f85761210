// Refused filters, the position of the error, and its message.
#include <catch2/catch.hpp>
#include <string>

#include "protocol/filter/filter.hpp"

using namespace sluice;
using namespace sluice::filter;

namespace {

FilterError refused(const std::string& text, const FilterLimits& limits = {}) {
    const auto filter = compile_filter(text, limits);
    if (filter) FAIL(text << " is accepted as " << filter->canonical);
    return filter.error();
}

}  // namespace

TEST_CASE("a fault is named with its place") {
    struct Case {
        const char* text;
        std::size_t offset;
        const char* message;  // a part of it
    };
    const Case cases[] = {
        {"", 0, "the filter is empty"},
        {"  \n ", 4, "the filter is empty"},
        {"price <", 7, "expected a path, a value or '(', but the filter ends here"},
        {"category == 'x'", 9, "'==' is not an operator; write '='"},
        {"price <> 5", 6, "write '!='"},
        {"price =< 5", 6, "write '<='"},
        {"price => 5", 6, "write '>='"},
        {"a || b", 2, "write 'or'"},
        {"title =~ 'x'", 6, "write matches(title, '…')"},
        {"price < < 5", 8, "before '<'"},
        {"(a or b", 7, "expected ')', but the filter ends here (to close the '(' at character 1)"},
        {"a[b = 'x'", 9, "expected ']', but the filter ends here (to close the '[' at character 2)"},
        {"a)", 1, "expected an operator or the end of the filter before ')'"},
        {"(ä or [b])", 7, "expected a path, a value or '(' before '['"},
        {"ä[(b]", 5, "expected ')' before ']' (to close the '(' at character 3)"},
        {"a b", 2, "expected an operator such as 'and', 'or', '=' or '<' before 'b'"},
        {"a = 'x' AND b", 8, "before 'AND'; write 'and'"},
        {"title contains 'x'", 6, "before 'contains'; write contains(title, '…')"},
        {"title eq 'x'", 6, "before 'eq'; write '='"},
        {"not category = 'x'", 4, "before 'category'; write not(…)"},
        {"a = 'x", 4, "this string has no closing ' quote"},
        {"a = \"it's", 4, "this string has no closing \" quote"},
        {"title = “x”", 8, "“ is not a quote here"},
        {"title = `x`", 8, "` is not a quote here"},
        {"a && b", 2, "'&' is not an operator; write 'and'"},
        {"!a", 0, "not("},
        {"a # b", 2, "'#' is not allowed here"},
        {"price\xC2\xA0< 5", 5, "separate words with spaces"},
        {"price < 1e6", 9, "no exponent"},
        {"price = 5 : b", 10, "on both sides of ':'"},
        {"a = '\xFF'", 5, "not valid UTF-8"},
        {"a = '\xED\xA0\x80'", 5, "not valid UTF-8"},
        {"$", 1, "expected the name of a variable"},
        {"a:b:*", 3, "a name has one prefix; expected a:b or a:*"},
        {"//a:b:*[1]", 5, "a name has one prefix"},
        {"@a:b:*", 4, "a name has one prefix"},
        {"self::a:b:*", 9, "a name has one prefix"},
        {"count(a:b:*) > 1", 9, "a name has one prefix"},
        {"$published-3600 > '2024'", 0, "to subtract write $published - 3600"},
        {"$titel = 'x'", 0, "there is no variable $titel (did you mean '$title'?)"},
        {"$pubDate > 5", 0, "(did you mean '$published'?)"},
        {"$Title = 'x'", 0, "(did you mean '$title'?)"},
        {"NOT(a)", 0, "(did you mean 'not'?)"},
        {"length(title) > 5", 0, "(did you mean 'string-length'?)"},
        {"$published/a", 0, "stands for plain values"},
        {"$title[1]//a", 0, "no step can follow it"},
        {"$category[. = //item/title]", 14, "a path can't be used in the predicate of a variable"},
        {"$title[following-sibling::link]", 7, "expected '.', a constant, another variable or a function of these"},
        {"$category[../title]", 10, "can't be used in the predicate of a variable"},
        {"$title[x]", 7, "did you mean the text 'x'?"},
        {"//item[$title[@x]]", 14, "its values are not part of the document"},
        {"$title[not(. = 'x' or count(a) > 1)]", 28, "a path can't be used"},
        {"$title[. = 'x'][*]", 16, "a path can't be used"},
        {"$title[(.)/a]", 8, "a path can't be used"},
        {"$title[.[a]]", 8, "self::node()[…]"},
        {"$title[self::node()[a]]", 7, "a path can't be used"},
        {"$title[self::*]", 7, "a path can't be used"},
        {"$title[$link[/]]", 13, "a path can't be used"},
        {"$title[name() = 'title']", 7, "name() can't be used in the predicate of a variable"},
        {"$title[lang('en')]", 7, "lang() can't be used"},
        {"$title[id('a')]", 7, "id() can't be used"},
        {"a | $title", 4, "write two tests joined by 'or'"},
        {"a | $title[1]", 4, "write two tests joined by 'or'"},
        {"a | ($title[1])[1]", 5, "write two tests joined by 'or'"},
        {"name($title)", 5, "which have no name"},
        {"foo::a", 0, "'foo' is not an axis"},
        {"a/", 2, "expected a step"},
        {"a//", 3, "expected a step"},
        {"//", 2, "expected a step"},
        {"@", 1, "expected a name, '*' or node()"},
        {"a/1", 2, "expected a step"},
        {".[a]", 1, "self::node()[…]"},
        {"..[a]", 2, "parent::node()[…]"},
        {"node(1)", 5, "expected ')'"},
        {"5[1]", 0, "can only follow a path"},
        {"'a'/b", 0, "can only follow a path"},
        {"a | 'b'", 4, "for tests write 'or'"},
        {"containz(a, 'b')", 0, "there is no function containz() (did you mean 'contains'?)"},
        {"nonsense-of-mine(a)", 0, "there is no function nonsense-of-mine()"},
        {"f:contains(a, 'b')", 0, "there is no function f:contains()"},
        {"contains(a)", 0, "contains() takes 2 arguments, but has 1"},
        {"not()", 0, "not() takes 1 argument, but has 0"},
        {"true(1)", 0, "true() takes no arguments, but has 1"},
        {"concat('a')", 0, "concat() takes 2 arguments or more, but has 1"},
        {"substring('a')", 0, "substring() takes 2 or 3 arguments, but has 1"},
        {"count('a')", 6, "count() takes a path"},
        {"sum(1 + 2)", 6, "sum() takes a path"},
        {"string-length(a, b)", 0, "takes 0 or 1 argument, but has 2"},
        {"contains(a, )", 12, "expected a path, a value or '(' before ')'"},
        {"lower-case(a) = lower-case(b)", 0, "compared with a constant"},
        {"ends-with(a, b)", 0, "ends-with(path, 'constant') as a test by itself"},
        {"ends-with(a, b)", 0, "did you mean the text 'b'?"},
        {"lower-case(category) = politics", 0, "did you mean the text 'politics'?"},
        {"a = 'x' or concat(lower-case(b), 'x') = 'y'", 18, "lower-case() can't be used here"},
        {"date(a//b) > 5", 0, "date() can't be used here"},
        {"//item[2][ends-with(a, 'x')]", 10, "ends-with() can't be used here"},
        {"$path = title", 0, "$path can only be compared with a constant or searched for one: $path = '/rss/"},
    };
    for (const Case& c : cases) {
        const FilterError error = refused(c.text);
        INFO(c.text << "\n" << error.message);
        CHECK(error.message.find(c.message) != std::string::npos);
        CHECK(error.offset == c.offset);
    }
}

TEST_CASE("calls of the engine's operators are checked") {
    const auto message = [](const std::string& text) { return refused(text).message; };
    const std::pair<const char*, const char*> wrong[] = {
        {"matches(title)", "takes 2 arguments"},
        {"matches(title, author)", "a constant regular expression, not author; did you mean the text 'author'?"},
        {"approx-contains('abc', 'b', 1)", "a path or a variable as first argument"},
        {"approx-contains(a//b, 'b', 1)", "a path without predicates"},
        {"approx-contains(count(a), 'b', 1)", "a path without predicates"},
        {"approx-contains(title, '', 2)", "not empty"},
        {"approx-contains(title, 'x', -1)", "the number of edits must be a constant whole number of at least 0, not "},
        {"approx-contains(title, 'x', 1.5)", "the number of edits must be a constant whole number of at least 0, not "},
        {"approx-contains(title, 'x', count(a))",
         "the number of edits must be a constant whole number of at least 0, not "},
        {"approx-contains(title, 'x', 256)", "expected at most 255 edits"},
        {"approx-distance(title, 'x') = true()", "compare it with a constant"},
        {"approx-distance(title, 'x')", "compare it with a constant"},
        {"approx-distance(title, 'x') < price",
         "can't be used here; expected approx-distance(path, …) compared with a"},
        {"edit-distance(title, 'x', 'qwerty') < 3", "'unit', 'typing' or 'vowels'"},
        {"align(sequence, 'ACGZ') > 20", "a sequence of the letters ACGTURYSWKMBDHVN, but letter 4 is 'Z'"},
        {"align(sequence, 'ACGE') > 20", "but letter 4 is 'E' (for a protein, name a scheme: 'blosum62')"},
        {"align(sequence, 'AC-T') > 20", "but letter 3 is '-'"},
        {"align(sequence, 'AC\xc3\xa9T') > 20", "but letter 3 is not a printable ASCII character"},
        {"align(sequence, ' ') > 20", "a sequence that is not empty"},
        {"align(sequence, 'ACGT', 'dna:1,2') > 20", "'dna:match,mismatch,first,extend' with 4 whole numbers"},
        {"align(sequence, 'ACGT', 'dna:1,-3,-5,0') > 20", "with gaps that cost something"},
        {"align(sequence, 'ACGT', 'dna:1,3,-5,-2') > 20", "with a mismatch below 0"},
        {"align(sequence, 'ACGT', 'dna:-1,-3,-5,-2') > 20", "with a match above 0"},
        {"align(sequence, 'ACGT', 'dna:') > 20", "with 4 whole numbers"},
        {"align(sequence, 'ACGT', 'dna:1,-3,-5,x') > 20", "with 4 whole numbers"},
        {"align(sequence, 'ACGT', 'dna:1,+-3,-5,-2') > 20", "with 4 whole numbers"},
        {"align(sequence, 'ACGT', 'dna:1,-3,-5,-99999999999') > 20", "with 4 whole numbers"},
        {"align(sequence, 'ACGT', 'dna:1,-3,-5,-1001') > 20", "with numbers up to 1000"},
        {"align(sequence, 'ACGT', 'pam250') > 20", "the scheme 'dna'"},
        {"align(sequence, 'ACGT', 'blosum50:1') > 20", "'blosum50:first,extend' with 2 whole numbers"},
        {"align(sequence, 'ACGT', 'blosum62:-11,-1001') > 20", "'blosum62:first,extend' with numbers up to 1000"},
        {"align(sequence, 'M1', 'blosum62:-11,-1') > 20", "a sequence of the letters ARND"},
        {"laminarity(series, 0) > 0.5", "epsilon as a constant number above 0"},
        {"laminarity(series, number('x')) > 0.5", "epsilon as a constant number above 0"},
        {"approx-contains(title, 'x', 'y')", "a constant whole number of at least 0, not NaN (not a number)"},
        {"concat(approx-contains(title, 'x', 1), 'y') = 'y'", "expected approx-contains(path, …) as a test by itself"},
        {"laminarity(series, 0.1, 1) > 0.5", "whole number of at least 2, not 1"},
    };
    for (const auto& [text, part] : wrong) {
        INFO(text << "\n" << message(text));
        CHECK(message(text).find(part) != std::string::npos);
    }
    const bool has_regex = engine::invalid_reason({engine::Measure::Kind::matches, "a", "", 0, 0}).empty();
    const std::pair<const char*, const char*> wrong_expressions[] = {
        {"matches(title, '(')", "a regular expression in RE2's syntax: missing ): ("},
        {"matches(title, '\\1')", "a regular expression in RE2's syntax: invalid escape sequence"},
        {"matches(title, '(a{1000}){1000}')", "a regular expression in RE2's syntax"},
        {"matches(title, '((((a{100}){100}){100}){100})')", "a regular expression in RE2's syntax"},
    };
    for (const auto& [text, part] : wrong_expressions) {
        INFO(text << "\n" << message(text));
        CHECK(message(text).find(has_regex ? part : "matches() is not available in this build") != std::string::npos);
        CHECK(refused(text).offset == 15);
    }
}

TEST_CASE("the excerpt shows the line with a caret below the fault") {
    CHECK(refused("a = 'x' and\n  größe << 5\n or b").excerpt == "  größe << 5\n         ^");
    CHECK(refused("a = 'x' and\r\n\tb !\r\nc").excerpt == " b !\n   ^");
    CHECK(refused("a or").excerpt == "a or\n    ^");
    CHECK(refused("\xFF").excerpt == "\uFFFD\n^");
    const FilterError error = refused("a = 'x' and\n  größe << 5\n or b");
    CHECK(error.line == 2);
    CHECK(error.column == 10);
    CHECK(error.offset == 23);
}

TEST_CASE("a long line is cut around the fault") {
    const std::string many = [] {
        std::string text = "a0 = 'é'";
        for (int i = 1; i < 100; ++i) text += " or a" + std::to_string(i) + " = 'é'";
        return text;
    }();
    const std::string excerpt = refused(many + " or ! or " + many).excerpt;
    CHECK(excerpt == "… = 'é' or a97 = 'é' or a98 = 'é' or a99 = 'é' or ! or a0 = 'é' or a1 = 'é' o…\n" +
                         std::string(50, ' ') + "^");
    const std::string at_end = refused(many + " or").excerpt;
    CHECK(at_end.starts_with("…"));
    CHECK(at_end.find("…", 3) == std::string::npos);
    CHECK(refused("! or " + many).excerpt.starts_with("! or a0"));
}

TEST_CASE("limits are named with their values") {
    const auto message = [](const std::string& text, const FilterLimits& limits) {
        return refused(text, limits).message;
    };
    CHECK(message("abcdef", {.text_bytes_max = 5}) == "the filter has 6 bytes, more than 5 (limits.filter_bytes)");
    CHECK(message("((((a))))", {.depth_max = 4}).find("4 levels (limits.filter_depth)") != std::string::npos);
    CHECK(message("1+a+a+a+a", {.depth_max = 4}).find("4 levels (limits.filter_depth)") != std::string::npos);
    CHECK(message("a or b or c", {.conjunctions_max = 2}).find("2 conjunctions (limits.filter_conjunctions = 2)") !=
          std::string::npos);
    CHECK(message("a and b and c", {.literals_max = 2}).find("2 literals (limits.filter_literals = 2)") !=
          std::string::npos);
    CHECK(message("a or count(//a[following::b]) > 1", {.searches_max = 1})
              .starts_with("searches are nested 2 deep here; the limit is 1 "
                           "(limits.filter_searches); expected less nesting"));
    CHECK(refused("a or count(//a[following::b]) > 1", {.searches_max = 1}).offset == 30);
    CHECK(message("approx-contains(a, 'x', 1) or approx-contains(b, 'x', 1)", {.operators_max = 1}) ==
          "the filter has more than 1 computed conditions (limits.filter_operators)");
    CHECK(refused("approx-contains(a, 'x', 1) or approx-contains(b, 'x', 1)", {.operators_max = 1}).offset == 30);
    CHECK(compile_filter("edit-distance(a, 'x') < 1 or not(edit-distance(a, 'x') < 1)", {.operators_max = 1})
              .has_value());
    CHECK(message("matches(a, 'xyz')", {.pattern_bytes_max = 2}) ==
          "matches(): the regular expression is 3 bytes long, more than 2 (limits.filter_pattern_bytes)");
    CHECK(refused("matches(a, 'xyz')", {.pattern_bytes_max = 2}).offset == 11);
    CHECK(message("approx-contains(a, 'xyz', 1)", {.pattern_bytes_max = 2}) ==
          "approx-contains(): the pattern is 3 bytes long, more than 2 (limits.filter_pattern_bytes)");
    CHECK(message("approx-contains(a, 'xyz', 3)", {.edits_max = 2}) ==
          "approx-contains(): expected at most 2 edits, not 3 (limits.filter_edits)");
    CHECK(message("align(a, 'ACG') > 3", {.sequence_letters_max = 2}) ==
          "align(): the sequence is 3 letters long, more than 2 (limits.filter_sequence_letters)");
    CHECK(compile_filter("a or b", {.conjunctions_max = 2}).has_value());
    CHECK(compile_filter("a and b", {.literals_max = 2}).has_value());
    CHECK(compile_filter("abcdef", {.text_bytes_max = 6}).has_value());
    CHECK(compile_filter("(((a)))", {.depth_max = 4}).has_value());
}

TEST_CASE("a path by itself is not called a filter") {
    const auto message = [](const std::string& text, const FilterLimits& limits = {}) {
        const auto path = compile_path(text, limits);
        REQUIRE(!path);
        return path.error().message;
    };
    CHECK(message("//a[") == "expected a path, a value or '(', but the path ends here");
    CHECK(message(" ") == "the path is empty; expected a path such as //observation");
    CHECK(message("//a)") == "expected an operator or the end of the path before ')'");
    CHECK(message("//a[. = '\xFF']") == "the path is not valid UTF-8 here");
    CHECK(message("//abc", {.text_bytes_max = 4}) == "the path has 5 bytes, more than 4 (limits.filter_bytes)");
}

TEST_CASE("nesting as deep as any configuration allows does no harm") {
    const FilterLimits limits{.depth_max = 1'000'000};
    const auto nested = [](const std::string& open, const std::string& close, std::size_t n) {
        std::string text;
        for (std::size_t i = 0; i < n; ++i) text += open;
        text += "a";
        for (std::size_t i = 0; i < n; ++i) text += close;
        return text;
    };
    for (const auto& [open, close] :
         {std::pair("(", ")"), {"not(", ")"}, {"a[", "]"}, {"-", ""}, {"string(", ")"}, {"(b or (c and ", "))"}}) {
        INFO(open);
        CHECK(compile_filter(nested(open, close, 90), limits).has_value());
        CHECK(refused(nested(open, close, 20'000), {.text_bytes_max = 1u << 20, .depth_max = 1'000'000})
                  .message.find("limits.filter_depth") != std::string::npos);
    }
}

TEST_CASE("refused: what XPath's lexical rules do not allow") {
    for (const char* text :
         {"a:b:c",  "a:b:c()", "a:b:c::d",  "a:b::c", "@a:b:c",    "$a:b:c",    "$a:b:*",    "$a:*",      "a: b",
          "a :b",   "*:a",     "*:*",       "a:*:b",  "a:*:*",     "a:*b",      "a:* b",     "child::a:", "a:1",
          "1:a",    ":a",      "a:",        "a::b",   "*::a",      "@*:a",      "a::*",      ".5.5",      "1..5",
          "1.5.5",  "1e5",     "5a",        "5.a",    ".a",        "..a",       ".b.",       "...",       ". .",
          "//",     "///a",    "/ /a",      "a//",    "@@a",       "@child::a", "child::@a", "child::.",  "a! =b",
          "a< =b",  "a==b",    "a/id('x')", "a/(b)",  "text('x')", "(a)b",      "a[1]b",     "'a''b'",    "$ title",
          "amod b", "a||b",    "a|",        "|a",     "+1",        "child: :a"}) {
        INFO(text);
        CHECK_FALSE(compile_filter(text).has_value());
    }
    for (const char* text : {"a:b", "a:*", "@a:*", "self::a:*", "child ::a", "@ a", "* * *", "5div 2", "a.5", "a-",
                             "--a", "and and and", "div div div", "5. = .5", "/ and / or", "./.", "text", "node"}) {
        INFO(text);
        CHECK(compile_filter(text).has_value());
    }
}
