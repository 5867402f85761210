// The evaluator alone against libxml2: any expression, with any node of a random document as context node, has the same
// value, whatever its type; and both see the same nodes in the document. SLUICE_ORACLE_PAIRS as in oracle_test.cpp.

#include "protocol/filter/evaluator/evaluator.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <iostream>

#include "protocol/feed/model/tree_index.hpp"
#include "tests/differential/oracle.hpp"
#include "tests/support/conditions.hpp"

using namespace sluice;

namespace {

struct Both {
    RandomDocument text;
    OracleDocument document;
    feed::TreeIndex index;
};

Both make_both(Random& random) {
    RandomDocument text = random_document(random, {random.chance(30), true});
    INFO(text.published);
    OracleDocument document = make_oracle_document(text);
    xpath::Meter meter;
    feed::TreeIndex index = feed::index_tree(*document.ours, meter);
    REQUIRE(index.nodes.size() == document.libxml2->nodes());
    REQUIRE(index.items == document.libxml2->items());
    return {std::move(text), std::move(document), std::move(index)};
}

void check_value(const std::string& expression, const Both& both, xpath::Node context) {
    const auto condition = make_condition(expression);
    xpath::Meter meter;
    xpath::MeteredMemory memory;
    xpath::KnownParts parts(*condition, both.index.nodes, &memory);
    const xpath::Evaluator evaluator(*condition, both.index.nodes, nullptr, parts, meter, &memory);
    const OracleValue theirs = both.document.libxml2->evaluate(expression, context);
    INFO(expression << "\nat node " << context << " of\n" << both.text.published);
    switch (theirs.type) {
        case OracleValue::Type::nodes: {
            const xpath::NodeSet ours = evaluator.nodes(context);
            REQUIRE(std::vector<std::uint32_t>(ours.begin(), ours.end()) == theirs.nodes);
            break;
        }
        case OracleValue::Type::number: {
            const double ours = evaluator.number(context);
            if (!(std::isnan(ours) && std::isnan(theirs.number))) REQUIRE(ours == Approx(theirs.number).epsilon(1e-13));
            break;
        }
        case OracleValue::Type::string:
            REQUIRE(evaluator.string(context).view() == theirs.string);
            break;
        case OracleValue::Type::boolean:
            REQUIRE(evaluator.boolean(context) == theirs.boolean);
            break;
    }
}

}  // namespace

TEST_CASE("random expressions have libxml2's values on random documents") {
    const char* pairs_text = std::getenv("SLUICE_ORACLE_PAIRS");
    const std::uint64_t pairs = pairs_text ? std::strtoull(pairs_text, nullptr, 10) : 100'000;
    Random random(3);
    std::uint64_t done = 0, of_type[4] = {};
    while (done < pairs) {
        const Both both = make_both(random);
        const Vocabulary vocabulary = make_vocabulary(both.document.items);
        for (int i = 0; i < 60; ++i) {
            const auto type = static_cast<std::size_t>(random.below(4));
            const std::string expression = random_expression(random, vocabulary, static_cast<OracleValue::Type>(type));
            if (libxml2_differs(expression)) continue;
            for (int k = 0; k < 4; ++k) {
                const auto context = static_cast<xpath::Node>(random.below(both.index.nodes.size()));
                // For an attribute, libxml2 returns the following nodes of its element.
                const bool of_attribute = both.index.nodes.kind(context) == xpath::NodeKind::attribute;
                if (of_attribute && expression.find("following::") != expression.npos) continue;
                check_value(expression, both, context);
                ++done;
                ++of_type[type];
            }
        }
    }
    std::cout << "evaluator: " << done << " values, " << of_type[0] << " sets of nodes, " << of_type[1] << " booleans, "
              << of_type[2] << " numbers, " << of_type[3] << " strings" << std::endl;
}
