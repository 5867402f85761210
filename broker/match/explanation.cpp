#include "broker/match/explanation.hpp"

#include <algorithm>
#include <cmath>

#include "broker/match/elided.hpp"
#include "protocol/filter/syntax/attribute.hpp"
#include "protocol/filter/syntax/xpath_number.hpp"
#include "protocol/text/utf8.hpp"

namespace sluice::broker {

namespace {

constexpr std::size_t listed_max = 3;  // values, literals and alternatives of the sentence
constexpr std::size_t value_bytes_max = 60;

using filter::Filter;
using filter::Leaf;

Alternative alternative_of(const Filter& filter, const engine::Conjunction& conjunction,
                           std::span<const LeafFinding> leaves) {
    Alternative alternative{true, {}};
    for (const engine::Literal& literal : conjunction) {
        const std::uint32_t leaf = filter.leaf_of[literal.predicate];
        const std::optional<bool> holds = leaves[leaf].holds;
        if (holds == literal.negated)
            alternative.failed.push_back(leaf);
        else if (!holds)
            alternative.holds.reset();
    }
    if (!alternative.failed.empty()) alternative.holds = false;
    return alternative;
}

std::string listed(std::vector<std::string> texts, std::size_t count, const char* separator, const char* last) {
    std::string list;
    const std::size_t shown = std::min({texts.size(), count, listed_max});
    for (std::size_t i = 0; i < shown; ++i)
        list += (i == 0 ? "" : i + 1 == count ? last : separator) + std::move(texts[i]);
    if (shown < count) list += last + std::to_string(count - shown) + " more";
    return list;
}

// A number as it is, other text in quotes.
std::string shown(const std::string& value) {
    if (!std::isnan(filter::xpath_number(value))) return text::shortened_utf8(value, value_bytes_max);
    return "'" + text::shortened_utf8(value, value_bytes_max) + "'";
}

// What the attribute's function, if any, reads: "category" of "count(category)".
std::string path_of(const std::string& attribute) {
    using enum filter::Attribute::Function;
    auto parsed = filter::parse_attribute(attribute);
    if (!parsed || parsed->function == name || parsed->function == path) return attribute;
    parsed->function = each;
    return to_string(*parsed);
}

// string(title) is called title: it is that of the first one.
std::string name_of(const std::string& attribute) {
    const auto parsed = filter::parse_attribute(attribute);
    const bool is_text = parsed && parsed->function == filter::Attribute::Function::string;
    return elided(is_text ? path_of(attribute) : attribute);
}

// " (price is 120)"
std::string read_values(const Leaf& leaf, const LeafFinding& finding) {
    if (!finding.value_count) return "";
    if (*finding.value_count == 0) return " (there is no " + elided(path_of(leaf.predicate.attribute)) + ")";
    std::vector<std::string> texts;
    const bool is_measure = leaf.computed() && leaf.predicate.measure->kind != engine::Measure::Kind::matches;
    if (is_measure && !finding.computed.empty()) {
        for (const double number : finding.computed)
            texts.push_back(std::isnan(number) ? "nothing" : filter::xpath_string(number));
        return " (computed: " + listed(std::move(texts), *finding.value_count, ", ", " and ") + ")";
    }
    if (finding.values.empty()) return "";
    for (const std::string& value : finding.values) texts.push_back(shown(value));
    return " (" + name_of(leaf.predicate.attribute) + " is " +
           listed(std::move(texts), *finding.value_count, ", ", " and ") + ")";
}

class Sentence {
public:
    Sentence(const Filter& filter, const Explanation& explanation)
        : filter_(filter),
          explanation_(explanation),
          conjunctions_(filter.disjunction.conjunctions),
          alternatives_(alternatives_of(filter, explanation.leaves)) {}

    std::string text() const {
        if (!explanation_.matched) return "undecided: " + why_undecided();
        return *explanation_.matched ? "matched: " + why_matched() : "not matched: " + why_not();
    }

private:
    std::string statement(std::uint32_t leaf, bool negated) const {
        const std::string text = elided(filter_.leaves[leaf].text);
        return negated ? "not(" + text + ")" : text;
    }
    std::string values_of(std::uint32_t leaf) const {
        return read_values(filter_.leaves[leaf], explanation_.leaves[leaf]);
    }

    std::string why_undecided() const {
        if (explanation_.reason == Unknown::context)
            return "the filter looks at what is beside the item, which was not retained";
        if (explanation_.reason == Unknown::undelivered) return "the event's document can't be read again";
        for (std::size_t i = 0; i < explanation_.leaves.size(); ++i) {
            if (explanation_.leaves[i].reason == Unknown::over_budget)
                return elided(filter_.leaves[i].text) + " would exceed its budget";
        }
        return "the filter would exceed its budget";
    }

    std::string why_matched() const {
        const auto found = std::find_if(alternatives_.begin(), alternatives_.end(),
                                        [](const Alternative& a) { return a.holds.value_or(false); });
        if (found == alternatives_.end()) return "its conditions can't be told one by one within the budget";
        const engine::Conjunction& conjunction = conjunctions_[static_cast<std::size_t>(found - alternatives_.begin())];
        if (conjunction.empty()) return "the filter matches every item";
        if (conjunction.size() == 1) {
            const std::uint32_t leaf = filter_.leaf_of[conjunction[0].predicate];
            return statement(leaf, conjunction[0].negated) + " holds" + values_of(leaf);
        }
        std::vector<std::string> statements;
        for (const engine::Literal& literal : conjunction)
            statements.push_back(statement(filter_.leaf_of[literal.predicate], literal.negated));
        const std::size_t n = statements.size();
        const std::string all = n > listed_max ? "all " + std::to_string(n) + " conditions"
                                               : listed(std::move(statements), n, ", ", " and ");
        if (alternatives_.size() == 1) return all + " hold";
        return "alternative " + std::to_string(found - alternatives_.begin() + 1) + " holds: " + all;
    }

    // By a condition that fails in all alternatives, if there is one.
    std::string why_not() const {
        if (alternatives_.empty()) return "no item can satisfy the filter";
        std::vector<std::size_t> failures(filter_.leaves.size());
        for (const Alternative& alternative : alternatives_)
            for (const std::uint32_t leaf : alternative.failed) ++failures[leaf];
        for (const std::uint32_t leaf : alternatives_.front().failed)
            if (failures[leaf] == alternatives_.size()) return does_not_hold(leaf);
        std::vector<std::string> reasons;
        for (const Alternative& alternative : alternatives_) {
            if (alternative.failed.empty()) return "its conditions can't be told one by one within the budget";
            if (reasons.size() < listed_max) reasons.push_back(does_not_hold(alternative.failed.front()));
        }
        return "none of " + std::to_string(alternatives_.size()) +
               " alternatives holds: " + listed(std::move(reasons), alternatives_.size(), "; ", "; ");
    }
    // For a leaf because of which an alternative does not hold.
    std::string does_not_hold(std::uint32_t leaf) const {
        return statement(leaf, *explanation_.leaves[leaf].holds) + " does not hold" + values_of(leaf);
    }

    const Filter& filter_;
    const Explanation& explanation_;
    const std::vector<engine::Conjunction>& conjunctions_;
    const std::vector<Alternative> alternatives_;
};

}  // namespace

std::vector<Alternative> alternatives_of(const Filter& filter, std::span<const LeafFinding> leaves) {
    std::vector<Alternative> alternatives;
    for (const engine::Conjunction& conjunction : filter.disjunction.conjunctions)
        alternatives.push_back(alternative_of(filter, conjunction, leaves));
    return alternatives;
}

std::string because(const Filter& filter, const Explanation& explanation) {
    return Sentence(filter, explanation).text();
}

}  // namespace sluice::broker
