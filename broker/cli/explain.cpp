#include "protocol/filter/explain.hpp"

#include <boost/json.hpp>
#include <cstdint>
#include <ostream>

#include "broker/cli/client/problem.hpp"
#include "broker/cli/commands.hpp"
#include "broker/cli/common/plain_json.hpp"
#include "protocol/filter/filter.hpp"
#include "protocol/text/terminal.hpp"

namespace sluice::cli {

namespace {

// Conjunctions are lists of the leaves' numbers, from 1 on, negative for those that must not hold.
boost::json::object explain_json(const filter::Filter& filter) {
    boost::json::array leaves, conjunctions;
    for (const filter::Leaf& leaf : filter.leaves) {
        boost::json::object entry{{"leaf", leaf.text},
                                  {"decided", leaf.indexed     ? "indexed"
                                              : leaf.scanned() ? "scanned"
                                                               : "computed"},
                                  {"how", filter::how_decided(leaf)}};
        if (!leaf.cost.empty()) entry["cost"] = leaf.cost;
        leaves.push_back(std::move(entry));
    }
    for (const engine::Conjunction& conjunction : filter.disjunction.conjunctions) {
        boost::json::array literals;
        for (const engine::Literal& literal : conjunction) {
            const std::int64_t number = std::int64_t{filter.leaf_of[literal.predicate]} + 1;
            literals.push_back(literal.negated ? -number : number);
        }
        conjunctions.push_back(std::move(literals));
    }
    return {{"filter", filter.canonical},
            {"form", filter.selecting ? "path" : "test"},
            {"leaves", std::move(leaves)},
            {"conjunctions", std::move(conjunctions)}};
}

}  // namespace

int explain(const ExplainOptions& options, Console console) {
    const auto compiled = filter::compile_filter(options.filter);
    if (!compiled) {
        report_problem(console, compiled.error());
        return exit_failed;
    }
    print_hints(*compiled, console);
    if (options.json)
        console.print_json(plain_json(explain_json(*compiled)));
    else
        console.out << text::terminal_lines(filter::explain(*compiled));
    return exit_done;
}

}  // namespace sluice::cli
