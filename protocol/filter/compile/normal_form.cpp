#include "protocol/filter/compile/normal_form.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "protocol/filter/syntax/fault.hpp"

namespace sluice::filter {

namespace {

using Sets = std::vector<LiteralSet>;

// The maximum size of intermediate results before reduction, as a multiple of the limits.
constexpr std::size_t candidates_factor = 4;
// The maximum number of literals examined in total, as a multiple of conjunctions_max squared.
constexpr std::size_t work_factor = 1'000;

// Ascending order puts a literal right before its negation.
bool contradicts_itself(const LiteralSet& set) {
    return std::adjacent_find(set.begin(), set.end(), [](auto a, auto b) { return (a ^ b) == 1; }) != set.end();
}

class NormalForm {
public:
    explicit NormalForm(const NormalFormLimits& limits)
        : limits_(limits), work_left_(limits.conjunctions_max * limits.conjunctions_max * work_factor) {}

    Sets run(const Formula& f, bool negated) {
        switch (f.kind) {
            case Formula::Kind::constant:
                return f.value != negated ? Sets{{}} : Sets{};
            case Formula::Kind::leaf:
                return {{static_cast<std::uint32_t>(2 * f.leaf + (negated ? 1 : 0))}};
            case Formula::Kind::negation:
                return run(f.parts.front(), !negated);
            case Formula::Kind::all:
                return negated ? sum(f, negated) : product(f, negated);
            case Formula::Kind::any:
                return negated ? product(f, negated) : sum(f, negated);
        }
        return {};
    }

private:
    Sets sum(const Formula& f, bool negated) {
        Sets candidates;
        std::size_t literals = 0;
        for (const Formula& part : f.parts)
            for (LiteralSet& set : run(part, negated)) add(candidates, literals, std::move(set));
        return reduce(std::move(candidates));
    }

    Sets product(const Formula& f, bool negated) {
        // Single literals first: there can be many, and they make the other factors shorter.
        LiteralSet certain;
        std::vector<const Formula*> factors;
        for (const Formula& part : f.parts) {
            const bool single = part.kind == Formula::Kind::leaf || (part.kind == Formula::Kind::negation &&
                                                                     part.parts.front().kind == Formula::Kind::leaf);
            if (single)
                certain.push_back(run(part, negated).front().front());
            else
                factors.push_back(&part);
        }
        std::sort(certain.begin(), certain.end());
        if (contradicts_itself(certain)) return {};

        Sets result = reduce({std::move(certain)});
        for (const Formula* factor : factors) result = multiply(result, run(*factor, negated));
        return result;
    }

    Sets multiply(const Sets& left, const Sets& right) {
        Sets candidates;
        std::size_t literals = 0;
        for (const LiteralSet& l : left) {
            const bool absorbs = std::any_of(right.begin(), right.end(), [&](const auto& r) { return includes(l, r); });
            if (absorbs) {
                add(candidates, literals, l);
                continue;
            }
            for (const LiteralSet& r : right) {
                LiteralSet both;
                std::set_union(l.begin(), l.end(), r.begin(), r.end(), std::back_inserter(both));
                work(both.size());
                if (!contradicts_itself(both)) add(candidates, literals, std::move(both));
            }
        }
        return reduce(std::move(candidates));
    }

    void add(Sets& candidates, std::size_t& literals, LiteralSet set) const {
        literals += set.size();
        candidates.push_back(std::move(set));
        if (candidates.size() > candidates_factor * limits_.conjunctions_max) refuse_conjunctions();
        if (literals > candidates_factor * limits_.literals_max) refuse_literals();
    }

    // Drops sets that another set subsumes, then checks the rest against the limits.
    Sets reduce(Sets candidates) {
        std::sort(candidates.begin(), candidates.end(), [](const LiteralSet& a, const LiteralSet& b) {
            return a.size() != b.size() ? a.size() < b.size() : a < b;
        });
        Sets kept;
        std::size_t literals = 0;
        for (LiteralSet& set : candidates) {
            if (std::any_of(kept.begin(), kept.end(), [&](const auto& k) { return includes(set, k); })) continue;
            literals += set.size();
            kept.push_back(std::move(set));
            if (kept.size() > limits_.conjunctions_max) refuse_conjunctions();
            if (literals > limits_.literals_max) refuse_literals();
        }
        return kept;
    }

    bool includes(const LiteralSet& larger, const LiteralSet& smaller) {
        work(1 + smaller.size());
        return smaller.size() <= larger.size() &&
               std::includes(larger.begin(), larger.end(), smaller.begin(), smaller.end());
    }

    void work(std::size_t literals) {
        if (literals > work_left_) refuse_conjunctions();
        work_left_ -= literals;
    }

    [[noreturn]] void refuse_conjunctions() const {
        refuse("conjunctions", "limits.filter_conjunctions", limits_.conjunctions_max);
    }
    [[noreturn]] void refuse_literals() const { refuse("literals", "limits.filter_literals", limits_.literals_max); }

    [[noreturn]] static void refuse(const std::string& what, const std::string& option, std::size_t limit) {
        throw Fault{0, "written out as alternatives, each a list of conditions joined by 'and', this filter has more " +
                           ("than " + std::to_string(limit)) + " " + what + " (" + option + " = " +
                           std::to_string(limit) + "); use fewer 'or' inside 'and', or several subscriptions"};
    }

    const NormalFormLimits& limits_;
    std::size_t work_left_;
};

}  // namespace

std::vector<LiteralSet> disjunctive_normal_form(const Formula& formula, const NormalFormLimits& limits) {
    return NormalForm(limits).run(formula, false);
}

}  // namespace sluice::filter
