#include "tests/differential/random_filter.hpp"

#include <cstdlib>
#include <string_view>

namespace sluice {

namespace {

using namespace std::string_literals;

constexpr std::string_view comparisons[] = {"=", "!=", "<", "<=", ">", ">="};
constexpr std::string_view odd_numbers[] = {
    "0", "-0", "-3", ".5", "-.5", "5.", "007", "99999999999999999999", "0.1", "1000000", "(0 div 0)", "(1 div 0)"};
constexpr std::string_view axes[] = {
    "following-sibling::*", "preceding-sibling::*", "ancestor::*",  "ancestor-or-self::*",
    "descendant::*",        "descendant::text()",   "self::*",      "parent::*",
    "parent::node()",       "following::*",         "preceding::*", "child::node()",
    "attribute::*",         "self::node()",         "namespace::*"};

bool continues_character(const std::string& text, std::size_t i) {
    return i < text.size() && (static_cast<unsigned char>(text[i]) & 0xC0) == 0x80;
}

std::string trim(const std::string& text) {
    const std::size_t begin = text.find_first_not_of(" \t\r\n");
    return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(" \t\r\n") + 1 - begin);
}

// -?digits with at most one point, as a filter may write it.
bool is_number(std::string_view text) {
    if (text.starts_with('-')) text.remove_prefix(1);
    const bool one_point = text.find('.') == text.rfind('.');
    return one_point && text.find_first_of("0123456789") != text.npos &&
           text.find_first_not_of("0123456789.") == text.npos;
}

class FilterWriter {
public:
    FilterWriter(Random& random, const Vocabulary& vocabulary) : random_(random), vocabulary_(vocabulary) {}

    RandomFilter write() {
        if (random_.chance(30)) return {selection(), true};
        return {boolean(random_.between(0, 3)), false};
    }

    std::string write(OracleValue::Type type) {
        const std::size_t depth = random_.between(1, 4);
        switch (type) {
            case OracleValue::Type::nodes:
                return nodes(depth);
            case OracleValue::Type::boolean:
                return "boolean(" + boolean(depth - 1) + ")";
            case OracleValue::Type::number:
                return "number(" + number(depth) + ")";
            case OracleValue::Type::string:
                return "string(" + string(depth) + ")";
        }
        return {};
    }

private:
    template <class... Choices>
    std::string any_of(const Choices&... choices) {
        const std::string all[] = {std::string(choices)...};
        return random_.pick(all);
    }
    std::string maybe_space() { return random_.chance(85) ? "" : any_of(" ", "  ", "\n", "\t"); }
    std::string space() { return " " + maybe_space(); }
    std::string call(const std::string& name, const std::string& arguments) {
        return name + maybe_space() + "(" + maybe_space() + arguments + maybe_space() + ")";
    }
    std::string comma() { return maybe_space() + "," + maybe_space(); }

    // A text as a literal; XPath 1.0 can't write one that has both kinds of quotes.
    std::string literal(std::string text) {
        if (text.find('\'') != text.npos && text.find('"') != text.npos) text.resize(text.find_first_of("'\""));
        const bool double_quotes = text.find('\'') != text.npos || (text.find('"') == text.npos && random_.chance(30));
        const std::string quote = double_quotes ? "\"" : "'";
        return quote + text + quote;
    }

    // A few whole characters of the text, often its first.
    std::string piece(const std::string& text) {
        if (text.empty()) return text;
        std::size_t begin = random_.chance(50) ? 0 : random_.below(text.size());
        while (continues_character(text, begin)) --begin;
        std::size_t end = begin + random_.between(1, 6);
        while (continues_character(text, end)) ++end;
        return text.substr(begin, end - begin);
    }

    const VocabularyPath& known_path() {
        if (!vocabulary_.outer_paths.empty() && random_.chance(16)) return random_.pick(vocabulary_.outer_paths);
        return vocabulary_.paths.empty() ? nothing_ : random_.pick(vocabulary_.paths);
    }

    std::string value_of(const VocabularyPath& path) {
        return path.values.empty() || random_.chance(8) ? any_of("a", "12", "", "nowhere") : random_.pick(path.values);
    }

    // Near the value if it is a number.
    std::string number_near(const std::string& value) {
        const std::string text = trim(value);
        if (!is_number(text) || random_.chance(15)) {
            return random_.chance(40) ? std::string(random_.pick(odd_numbers)) : std::to_string(random_.below(20));
        }
        if (random_.chance(70) || text.size() > 12) return text;
        return std::to_string(std::atol(text.c_str()) + static_cast<long>(random_.below(3)) - 1);
    }

    std::string compared(const std::string& a, const std::string& b) {
        const std::string op = space() + std::string(random_.pick(comparisons)) + space();
        return random_.chance(75) ? a + op + b : b + op + a;
    }
    std::string equal_or_not(const std::string& a, const std::string& b) {
        const std::string op = maybe_space() + any_of("=", "=", "!=") + maybe_space();
        return random_.chance(75) ? a + op + b : b + op + a;
    }

    // Leaves that the engine has an index for.
    std::string simple_leaf() {
        const VocabularyPath& known = known_path();
        const std::string p = random_.chance(3) ? any_of("..", "../..") : known.path, value = value_of(known);
        switch (random_.below(18)) {
            case 0:
            case 1:
            case 2:
            case 3:
                return equal_or_not(p, literal(value));
            case 4:
            case 5:
            case 6:
                return compared(p, number_near(value));
            case 7:
                return call("contains", p + comma() + literal(piece(value)));
            case 8:
                return call("starts-with", p + comma() + literal(piece(value)));
            case 9:
                return p;
            case 10:
                return call("not", p);
            case 11:
                return equal_or_not(call("string", p), literal(value));
            case 12:
                return equal_or_not(call("normalize-space", p), literal(trim(value)));
            case 13:
                return compared(call("string-length", p), std::to_string(value.size() + random_.below(2)));
            case 14:
                return compared(call("count", p), std::to_string(random_.below(4)));
            case 15:
                return compared(call("sum", p), number_near(value));
            case 16:
                return compared(p, literal(value));
            default:
                return name_leaf();
        }
    }

    std::string uri() {
        return any_of("http://www.w3.org/2005/Atom", "http://purl.org/atom/ns#", "http://purl.org/rss/1.0/",
                      "http://purl.org/dc/elements/1.1/", "http://search.yahoo.com/mrss/",
                      "http://search.yahoo.com/mrss", "http://example.org/own", "http://example.org/alien",
                      "http://example.org/inner", "");
    }

    std::string name_leaf() {
        if (random_.chance(30)) {
            const std::string of = any_of("", ".", "..", "*", "*/*", "@*", element(), "*[2]", "*[last()]");
            return equal_or_not(call("namespace-uri", of), literal(uri()));
        }
        const std::string name = call(any_of("name", "local-name"), any_of("", ".", "..", "*", "../.."));
        return equal_or_not(name, literal(vocabulary_.elements.empty() ? "a" : random_.pick(vocabulary_.elements)));
    }

    std::string boolean(std::size_t depth) {
        if (depth == 0) return random_.chance(70) ? simple_leaf() : any_leaf();
        switch (random_.below(8)) {
            case 0:
            case 1:
                return operands(depth, " and ");
            case 2:
            case 3:
                return operands(depth, " or ");
            case 4:
                return call("not", boolean(depth - 1));
            case 5:
                return "(" + operands(depth, " or ") + ")" + space() + "and " + boolean(depth - 1);
            case 6:
                return any_leaf();
            default:
                return boolean(depth - 1);
        }
    }

    std::string operands(std::size_t depth, const std::string& op) {
        std::string text;
        for (std::size_t n = random_.between(2, 3); n > 0; --n) {
            const std::string operand = boolean(depth - 1);
            text += random_.chance(50) ? "(" + operand + ")" : operand;
            if (n > 1) text += maybe_space() + op + maybe_space();
        }
        return text;
    }

    // Leaves of any kind.
    std::string any_leaf() {
        switch (random_.below(14)) {
            case 0:
                return compared(number(2), number(2));
            case 1:
                return compared(number(2), std::to_string(random_.below(10)));
            case 2:
                return equal_or_not(string(2), string(2));
            case 3:
                return equal_or_not(string(1), literal(value_of(known_path())));
            case 4:
                return compared(nodes(1), nodes(1));
            case 5:
                return equal_or_not(nodes(2), literal(value_of(known_path())));
            case 6:
                return compared(nodes(2), number(1));
            case 7:
                return compared(nodes(1),
                                any_of("true()", "false()", call("boolean", nodes(0)), "(" + simple_leaf() + ")"));
            case 8:
                return call("boolean", random_.chance(70) ? nodes(2) : random_.chance(50) ? number(1) : string(1));
            case 9:
                return call("contains", string(1) + comma() + string(1));
            case 10:
                return call("starts-with", string(1) + comma() + literal(piece(value_of(known_path()))));
            case 11:
                return call("not", call("boolean", nodes(2)));
            case 12:
                return compared(call("boolean", nodes(1)), "(" + simple_leaf() + ")");
            default:
                return call("lang", literal(any_of("en", "de", "EN")));
        }
    }

    std::string number(std::size_t depth) {
        const VocabularyPath& known = known_path();
        if (depth == 0) return random_.chance(50) ? number_near(value_of(known)) : call("number", known.path);
        switch (random_.below(11)) {
            case 0:
                return call("count", nodes(depth - 1));
            case 1:
                return call("sum", nodes(depth - 1));
            case 2:
                return call("string-length", string(depth - 1));
            case 3:
                return call("number", random_.chance(50) ? nodes(depth - 1) : string(depth - 1));
            case 4:
                return call(any_of("floor", "ceiling", "round"), number(depth - 1));
            case 5:
                return "(" + number(depth - 1) + any_of(" + ", " - ", " * ", " div ", " mod ") + number(depth - 1) +
                       ")";
            case 6:
                return any_of("position()", "last()", "string-length()", "number()");
            case 7:
                return "- " + number(depth - 1);
            case 8:
                return call("number", any_of("true()", "false()", literal(value_of(known))));
            case 9:
                return known.path + any_of(" + ", " - ", " * ", " div ", " mod ") + number_near(value_of(known));
            default:
                return number_near(value_of(known));
        }
    }

    std::string string(std::size_t depth) {
        const VocabularyPath& known = known_path();
        if (depth == 0) return random_.chance(50) ? literal(value_of(known)) : known.path;
        switch (random_.below(12)) {
            case 0:
                return call("string", random_.chance(60) ? nodes(depth - 1) : number(depth - 1));
            case 1:
                return call("concat", string(depth - 1) + comma() + string(depth - 1));
            case 2:
                return call("substring", string(depth - 1) + comma() + number(depth - 1));
            case 3:
                return call("substring", string(depth - 1) + comma() + "1" + comma() + number(0));
            case 4:
                return call("substring-before", string(depth - 1) + comma() + literal(piece(value_of(known))));
            case 5:
                return call("substring-after", string(depth - 1) + comma() + literal(piece(value_of(known))));
            case 6:
                return call("normalize-space", random_.chance(80) ? string(depth - 1) : "");
            case 7:
                return call("translate", string(depth - 1) + comma() + literal(piece(value_of(known))) + comma() +
                                             literal(any_of("A", "", "xyz", "é")));
            case 8:
                return call(any_of("name", "local-name", "namespace-uri"), nodes(depth - 1));
            case 9:
                return call("string", any_of("true()", "1 = 1", number(depth - 1)));
            case 10:
                return known.path;
            default:
                return literal(value_of(known));
        }
    }

    // Node-sets, relative to the item or not.
    std::string nodes(std::size_t depth) {
        const std::string known = known_path().path;
        if (depth == 0) return known;
        switch (random_.below(19)) {
            case 16:
                return "(" + nodes(depth - 1) + ")/" + random_axis() + "::" + node_test() +
                       (random_.chance(60) ? predicate(depth - 1) : "");
            case 17:
                return random_axis() + "::" + node_test() + predicate(depth - 1) + "/" + random_axis() +
                       "::" + node_test() + (random_.chance(40) ? predicate(depth - 1) : "");
            case 18:
                return any_of("//", ".//", "..//", "/") + element() + any_of("//", "/") + node_test() +
                       (random_.chance(50) ? predicate(depth - 1) : "");
            case 0:
            case 1:
                return known + predicate(depth - 1);
            case 2:
                return ".//" + element() + (random_.chance(50) ? predicate(depth - 1) : "");
            case 3:
                return "//" + element() + (random_.chance(70) ? predicate(depth - 1) : "");
            case 4:
                return any_of("*", "@*", ".", "..", "text()", "node()", "../*", "../@*", "*/*", "*/@*", "comment()",
                              "(/)", "/*");
            case 5:
                return std::string(random_.pick(axes)) + (random_.chance(50) ? predicate(depth - 1) : "");
            case 6:
                return nodes(depth - 1) + space() + "|" + space() + nodes(depth - 1);
            case 7:
                return "(" + nodes(depth - 1) + ")" + predicate(depth - 1);
            case 8:
                return "(" + nodes(depth - 1) + ")/" + any_of("..", "*", "@*", ".", "text()", element());
            case 9:
                return any_of("following-sibling::", "preceding-sibling::", "ancestor::", "child::", "descendant::") +
                       element() + predicate(depth - 1);
            case 10:
                return "*" + predicate(depth - 1) + (random_.chance(40) ? predicate(depth - 1) : "");
            case 11:
                return "../" + element() + predicate(depth - 1) + "/" + any_of("*", element(), "@*");
            case 12:
                if (random_.chance(50)) return "*[namespace-uri()" + any_of("=", "!=") + literal(uri()) + "]";
                return "*[name()" + any_of("=", "!=") + literal(element()) + "]";
            case 13:
                return any_of("", "../", ".//", "@", "*/") + prefix() + ":*";
            case 14:
                return any_of("processing-instruction()", "id('a')", "..//" + element(), "*//text()",
                              "descendant::" + element());
            default:
                return known;
        }
    }

    std::string random_axis() {
        return any_of("child", "attribute", "self", "parent", "descendant", "descendant-or-self", "ancestor",
                      "ancestor-or-self", "following", "following-sibling", "preceding", "preceding-sibling");
    }
    std::string node_test() {
        return random_.chance(40) ? element()
                                  : any_of("*", "node()", "text()", "comment()", "processing-instruction()",
                                           "processing-instruction('go')", prefix() + ":*");
    }

    std::string element() { return vocabulary_.elements.empty() ? "title" : random_.pick(vocabulary_.elements); }
    // Of some element's name, if any has one.
    std::string prefix() {
        const std::string name = element();
        return name.find(':') == name.npos ? any_of("dc", "media", "own", "atom", "none")
                                           : name.substr(0, name.find(':'));
    }
    std::string attribute() {
        return "@" + (vocabulary_.attributes.empty() ? "id"s : random_.pick(vocabulary_.attributes));
    }

    std::string predicate(std::size_t depth) {
        const std::string value = value_of(known_path());
        switch (random_.below(13)) {
            case 0:
                return "[1]";
            case 1:
                return "[" + std::to_string(random_.between(1, 4)) + "]";
            case 2:
                return "[last()]";
            case 3:
                return "[position()" + any_of("<", ">", "<=", "!=", "=") + std::to_string(random_.between(1, 4)) + "]";
            case 4:
                return "[last() - 1]";
            case 5:
                return "[position()" + any_of(" = ", " < ") + "last()]";
            case 6:
                return "[" + equal_or_not(".", literal(value)) + "]";
            case 7:
                return "[" + compared(".", number_near(value)) + "]";
            case 8:
                return "[" + attribute() + "]";
            case 9:
                return "[" + equal_or_not(attribute(), literal(value)) + "]";
            case 10:
                return "[" + call("not", attribute()) + "]";
            case 11:
                return "[" + number(1) + "]";
            default:
                return "[" + maybe_space() + boolean(depth) + maybe_space() + "]";
        }
    }

    // Location paths that select events, most of them.
    std::string selection() {
        const std::string path =
            vocabulary_.item_paths.empty() ? "/rss/channel/item" : random_.pick(vocabulary_.item_paths);
        const std::size_t slash = path.rfind('/');
        const std::string name = path.substr(slash + 1), parent = path.substr(0, slash);
        const std::string base =
            any_of(path, path, "//" + name, "//" + name, "//*", parent + "/*", "/descendant::" + name);
        const std::string condition = "[" + maybe_space() + boolean(random_.between(0, 2)) + maybe_space() + "]";
        switch (random_.below(24)) {
            case 0:
                return base;
            case 1:
                return base + predicate(1);
            case 2:
                return base + condition + predicate(1);
            case 3:
                return base + predicate(1) + condition;
            case 4:
                return parent + predicate(1) + "/" + name + condition;
            case 5:
                return parent + "[" + name + condition + "]/" + name;
            case 6:
                return base + condition + " | " + base + predicate(1);
            case 7:
                return base + condition + "/" + any_of("following-sibling::", "preceding-sibling::", "self::") +
                       any_of(name, "*");
            case 8:
                return "//" + element() + predicate(1) + "/..";
            case 9:
                return "//" + element() + predicate(1) + "/ancestor::" + name;
            case 10:
                return base + condition + "/" + known_path().path;
            case 11:
                return base + condition + "[" + simple_leaf() + "]";
            case 12:
                return "(" + base + condition + ")" + predicate(1);
            case 13:
                return "(" + base + condition + space() + "|" + space() + base + predicate(1) + ")" + predicate(1);
            case 14:
                return "(" + base + predicate(1) + ")/" + any_of("self::*", ".", "..", "following-sibling::*");
            case 15:
                return parent + "//" + any_of(name, "*") + condition;
            default:
                return base + condition;
        }
    }

    Random& random_;
    const Vocabulary& vocabulary_;
    const VocabularyPath nothing_{"nothing", {}};
};

}  // namespace

std::string random_expression(Random& random, const Vocabulary& vocabulary, OracleValue::Type type) {
    return FilterWriter(random, vocabulary).write(type);
}

RandomFilter random_filter(Random& random, const Vocabulary& vocabulary) {
    return FilterWriter(random, vocabulary).write();
}

}  // namespace sluice
