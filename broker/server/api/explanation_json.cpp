#include "broker/server/api/explanation_json.hpp"

#include <boost/json/array.hpp>
#include <cmath>
#include <cstdint>
#include <utility>

#include "broker/server/api/match_answers.hpp"

namespace sluice::server {

namespace json = boost::json;

namespace {

json::value json_of(std::optional<bool> answer) { return answer ? json::value(*answer) : json::value(nullptr); }

// Whole numbers without an exponent.
json::value number_json(double number) {
    constexpr double whole_max = 1e15;
    if (!std::isfinite(number)) return nullptr;
    if (std::abs(number) < whole_max && std::trunc(number) == number) return static_cast<std::int64_t>(number);
    return number;
}

void add_finding(json::object& leaf, const broker::LeafFinding& finding, bool has_values) {
    leaf["evaluated"] = finding.reason.empty();
    if (!finding.reason.empty()) leaf["reason"] = finding.reason;
    leaf["holds"] = json_of(finding.holds);
    if (!has_values) return;
    leaf["values"] = json::array(finding.values.begin(), finding.values.end());
    leaf["value_count"] = finding.value_count ? json::value(*finding.value_count) : json::value(nullptr);
    if (finding.computed.empty()) return;
    json::array computed;
    for (const double number : finding.computed) computed.push_back(number_json(number));
    leaf["computed"] = std::move(computed);
}

json::array alternatives_json(const filter::Filter& filter, const broker::Explanation& explanation) {
    const auto alternatives = broker::alternatives_of(filter, explanation.leaves);
    json::array list;
    for (std::size_t a = 0; a < alternatives.size(); ++a) {
        json::array literals;
        for (const engine::Literal& literal : filter.disjunction.conjunctions[a])
            literals.push_back({{"leaf", filter.leaf_of[literal.predicate]}, {"negated", literal.negated}});
        list.push_back({{"literals", std::move(literals)},
                        {"holds", json_of(alternatives[a].holds)},
                        {"failed", json::array(alternatives[a].failed.begin(), alternatives[a].failed.end())}});
    }
    return list;
}

}  // namespace

void add_explanation(json::object& reply, const filter::Filter& filter, const broker::Explanation& explanation) {
    json::array leaves = leaves_json(filter);
    for (std::size_t i = 0; i < leaves.size(); ++i)
        add_finding(leaves[i].get_object(), explanation.leaves[i], !filter.leaves[i].scanned());
    reply["filter"] = filter.canonical;
    reply["hints"] = hints_json(filter);
    reply["matched"] = json_of(explanation.matched);
    if (!explanation.reason.empty()) reply["reason"] = explanation.reason;
    reply["because"] = broker::because(filter, explanation);
    reply["leaves"] = std::move(leaves);
    reply["alternatives"] = alternatives_json(filter, explanation);
}

std::size_t explanation_memory(const filter::Filter& filter, const broker::Explanation& explanation) {
    constexpr std::size_t literal_bytes = 256, alternative_bytes = 512, leaf_bytes = 256, value_bytes = 64;
    std::size_t bytes = explanation.leaves.size() * leaf_bytes;
    for (const engine::Conjunction& conjunction : filter.disjunction.conjunctions)
        bytes += alternative_bytes + conjunction.size() * literal_bytes;
    for (const broker::LeafFinding& finding : explanation.leaves)
        for (const std::string& value : finding.values) bytes += value_bytes + 4 * value.size();
    return bytes;
}

}  // namespace sluice::server
