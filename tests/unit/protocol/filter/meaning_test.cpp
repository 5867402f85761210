// The meaning of compiled filters, against pugixml's evaluation of the original text. Values are read here in the
// plainest way, also by pugixml; the extractor has its own tests.
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <pugixml.hpp>
#include <string>
#include <vector>

#include "protocol/filter/filter.hpp"
#include "protocol/filter/syntax/attribute.hpp"
#include "protocol/filter/syntax/xpath_number.hpp"
#include "tests/support/oracle_limits.hpp"
#include "tests/unit/protocol/filter/random_expression.hpp"

using namespace sluice;
using namespace sluice::filter;

namespace {

bool is_selected(const std::string& path, const pugi::xml_node& element) {
    for (const pugi::xpath_node& node : element.select_nodes(path.c_str()))
        if (node.node() == element) return true;
    return false;
}

// pugixml's answer; `selecting` as in compile_filter.
bool expected(const std::string& text, bool selecting, const pugi::xml_node& element) {
    return selecting ? is_selected(text, element) : pugi::xpath_query(text.c_str()).evaluate_boolean(element);
}

std::vector<std::string> values(const std::string& name, const pugi::xml_node& element) {
    const auto attribute = parse_attribute(name);
    REQUIRE(attribute);
    std::vector<std::string> result;
    if (attribute->function == Attribute::Function::path) {
        std::string path;
        for (pugi::xml_node node = element; node.parent(); node = node.parent())
            path = "/" + std::string(node.name()) + path;
        result.push_back(path);
    } else if (attribute->function == Attribute::Function::each) {
        for (const pugi::xpath_node& node : element.select_nodes(name.c_str()))
            result.push_back(pugi::xpath_query("string(.)").evaluate_string(node));
    } else {
        result.push_back(pugi::xpath_query(name.c_str()).evaluate_string(element));
    }
    return result;
}

bool holds(const engine::Predicate& p, const std::string& value) {
    const double number = xpath_number(value);
    switch (p.op) {
        case engine::Operator::exists:
            return true;
        case engine::Operator::equal:
            return value == p.text;
        case engine::Operator::not_equal:
            return value != p.text;
        case engine::Operator::contains:
            return value.find(p.text) != std::string::npos;
        case engine::Operator::starts_with:
            return value.starts_with(p.text);
        case engine::Operator::ends_with:
            return value.ends_with(p.text);
        case engine::Operator::number_equal:
            return number == p.number;
        case engine::Operator::number_not_equal:
            return number != p.number;
        case engine::Operator::less:
            return number < p.number;
        case engine::Operator::less_equal:
            return number <= p.number;
        case engine::Operator::greater:
            return number > p.number;
        case engine::Operator::greater_equal:
            return number >= p.number;
        case engine::Operator::scanned:
            break;
    }
    return false;
}

bool holds(const engine::Predicate& p, const pugi::xml_node& element) {
    if (p.op == engine::Operator::scanned) {
        const bool selecting = p.attribute.starts_with("select ");
        return expected(p.attribute.substr(p.attribute.find(' ') + 1), selecting, element);
    }
    for (const std::string& value : values(p.attribute, element))
        if (holds(p, value)) return true;
    return false;
}

bool holds(const engine::Disjunction& filter, const pugi::xml_node& element) {
    for (const engine::Conjunction& conjunction : filter.conjunctions) {
        bool all = true;
        for (const engine::Literal& literal : conjunction)
            all = all && holds(filter.predicates[literal.predicate], element) != literal.negated;
        if (all) return true;
    }
    return false;
}

void grow(pugi::xml_node node, RandomExpression& random, int depth) {
    const auto text = [&] { return random.one_of({"", "1", "2", "-1", "x", "a", "ab", " 1 ", "a  b", "1.5", "0"}); };
    if (random.chance(2)) node.append_attribute("x") = text().c_str();
    if (random.chance(3)) node.append_attribute("y") = text().c_str();
    for (auto n = random.below(4); n > 0; --n) {
        if (random.chance(3))
            node.append_child(random.chance(4) ? pugi::node_cdata : pugi::node_pcdata).set_value(text().c_str());
        if (depth > 0)
            grow(node.append_child(random.one_of({"a", "b", "c", "item", "n:a"}).c_str()), random, depth - 1);
        if (random.chance(9)) node.append_child(pugi::node_comment).set_value("x");
    }
}

std::vector<pugi::xml_node> elements(const pugi::xml_node& from) {
    std::vector<pugi::xml_node> result;
    for (const pugi::xpath_node& node : from.select_nodes("//*")) result.push_back(node.node());
    return result;
}

void check_filter(const std::string& text, const std::vector<pugi::xml_node>& elements) {
    const auto filter = compile_filter(text, {.text_bytes_max = 1u << 20});
    if (!filter) {
        // The generator writes only valid XPath, except for some unions and steps of non-node-sets.
        const bool bounded = filter.error().message.find("limits.") != std::string::npos;
        INFO(text << "\n" << filter.error().message);
        if (!bounded) CHECK_THROWS(pugi::xpath_query(text.c_str()));
        return;
    }
    if (pugixml_differs(text)) return;
    const bool selecting = filter->selecting;
    for (const pugi::xml_node& element : elements) {
        if (holds(filter->disjunction, element) == expected(text, selecting, element)) continue;
        std::ostringstream document;
        element.root().print(document, "", pugi::format_raw);
        FAIL("filter " << text << "\ncanonical " << filter->canonical << "\nelement " << element.path() << "\nof "
                       << document.str());
    }
}

}  // namespace

TEST_CASE("a compiled filter means what pugixml makes of its text") {
    for (unsigned seed = 0; seed < 300; ++seed) {
        RandomExpression random(seed);
        pugi::xml_document document;
        grow(document.append_child(random.one_of({"a", "item"}).c_str()), random, 3);
        std::vector<pugi::xml_node> all = elements(document);
        if (all.size() > 8) all.resize(8);
        for (int i = 0; i < 40; ++i) check_filter(random.filter(), all);
    }
}

TEST_CASE("a node-set is compared with a boolean as a boolean, by order, too") {
    for (const auto& [text, canonical] : {std::pair("a < true()", "not(a)"),
                                          {"true() > a", "not(a)"},
                                          {"a <= true()", "true()"},
                                          {"a >= true()", "a"}}) {
        CHECK(compile_filter(text).value().canonical == canonical);
    }
}

TEST_CASE("pugixml's reading of doubtful comparisons is ours") {
    pugi::xml_document document;
    document.load_string("<r><item id='7'><a>1</a><a>x</a><b/><c> 2 </c></item></r>");
    const std::vector<pugi::xml_node> all = elements(document);
    const char* const filters[] = {
        "a = true()",
        "missing = false()",
        "missing != true()",
        "a != true()",
        "c = 2",
        "c = '2'",
        "c = ' 2 '",
        "c < '3'",
        "b = ''",
        "b != ''",
        "b = 0",
        "b != 0",
        "a != number('x')",
        "missing != number('x')",
        "a = number('x')",
        "string(missing) != number('x')",
        "string(missing) = ''",
        "contains(missing, '')",
        "starts-with(missing, '')",
        "contains(a, 'x')",
        "contains(a, 1)",
        "string-length(b) = ''",
        "count(a) = '2'",
        "count(a) = true()",
        "sum(a)",
        "sum(c)",
        "sum(missing) = 0",
        "-c < 0",
        "count(a) > 1 = 1",
        "(a = 1) = (b = '')",
        "a = 1 = true()",
        "contains(a, '1') > 0",
        "contains(a, '1') < 'x'",
        "0 < contains(a, 'y')",
        "name(..) = ''",
        "name(../..) = ''",
        "name(../../..) = ''",
        ".. = ''",
        "../.. = ''",
        "../../.. = ''",
        "../..",
        "../../..",
        "/",
        "/ or a",
        "/r",
        "/r/item",
        "/*/item",
        "//*",
        "//item | /r",
        "(//item)[1]",
        "//item[1]",
        "self::item",
        "@*",
        "@id = 7",
        "text()",
        "a/text() = 'x'",
        "lang('en')",
        "position() = 1",
        "last()",
        "id('x')",
        "namespace::x",
        "c = 2 or c != 2",
        "string() = '1x 2 '",
        "number() = 12",
        "normalize-space() = '1x 2'",
        ". = '1x 2 '",
        "- - 1 = 1",
        "1 = 1.0",
        "1 div -0 < 0",
    };
    for (const char* filter : filters) check_filter(filter, all);
}
