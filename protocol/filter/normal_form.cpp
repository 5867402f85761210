#include "protocol/filter/normal_form.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "protocol/filter/fault.hpp"

namespace sluice {

namespace {

using Kind = Formula::Kind;
using Sets = std::vector<LiteralSet>;

bool includes(const LiteralSet& larger, const LiteralSet& smaller) {
    return smaller.size() <= larger.size() &&
           std::includes(larger.begin(), larger.end(), smaller.begin(), smaller.end());
}

// Ascending order puts a literal right before its negation.
bool contradicts_itself(const LiteralSet& set) {
    return std::adjacent_find(set.begin(), set.end(), [](auto a, auto b) { return (a ^ b) == 1; }) != set.end();
}

class NormalForm {
public:
    explicit NormalForm(const NormalFormLimits& limits) : limits_(limits) {}

    Sets run(const Formula& f, bool negated) const {
        switch (f.kind) {
            case Kind::constant:
                return f.value != negated ? Sets{{}} : Sets{};
            case Kind::leaf:
                return {{static_cast<std::uint32_t>(2 * f.leaf + (negated ? 1 : 0))}};
            case Kind::negation:
                return run(f.parts.front(), !negated);
            case Kind::all:
                return negated ? sum(f, negated) : product(f, negated);
            case Kind::any:
                return negated ? product(f, negated) : sum(f, negated);
        }
        return {};
    }

private:
    Sets sum(const Formula& f, bool negated) const {
        Sets result;
        std::size_t literals = 0;
        for (const Formula& part : f.parts)
            for (LiteralSet& set : run(part, negated)) add(result, literals, std::move(set));
        return without_subsumed(std::move(result));
    }

    Sets product(const Formula& f, bool negated) const {
        // Single literals first: they are many at times, and make the rest shorter.
        LiteralSet certain;
        std::vector<const Formula*> factors;
        for (const Formula& part : f.parts) {
            const bool single =
                part.kind == Kind::leaf || (part.kind == Kind::negation && part.parts.front().kind == Kind::leaf);
            if (single)
                certain.push_back(run(part, negated).front().front());
            else
                factors.push_back(&part);
        }
        std::sort(certain.begin(), certain.end());
        if (contradicts_itself(certain)) return {};

        Sets result;
        std::size_t literals = 0;
        add(result, literals, std::move(certain));
        for (const Formula* factor : factors) result = multiply(result, run(*factor, negated));
        return without_subsumed(std::move(result));
    }

    Sets multiply(const Sets& left, const Sets& right) const {
        Sets result;
        std::size_t literals = 0;
        for (const LiteralSet& l : left) {
            const bool absorbs = std::any_of(right.begin(), right.end(), [&](const auto& r) { return includes(l, r); });
            if (absorbs) {
                add(result, literals, l);
                continue;
            }
            for (const LiteralSet& r : right) {
                LiteralSet both;
                std::set_union(l.begin(), l.end(), r.begin(), r.end(), std::back_inserter(both));
                if (!contradicts_itself(both)) add(result, literals, std::move(both));
            }
        }
        std::sort(result.begin(), result.end());
        result.erase(std::unique(result.begin(), result.end()), result.end());
        return result;
    }

    void add(Sets& sets, std::size_t& literals, LiteralSet set) const {
        literals += set.size();
        sets.push_back(std::move(set));
        if (sets.size() > limits_.conjunctions_max)
            refuse("conjunctions", "limits.filter_conjunctions", limits_.conjunctions_max);
        if (literals > limits_.literals_max) refuse("literals", "limits.filter_literals", limits_.literals_max);
    }

    [[noreturn]] static void refuse(const std::string& what, const std::string& option, std::size_t limit) {
        throw Fault{0, "as alternatives of conditions joined by 'and', this filter has more than " +
                           std::to_string(limit) + " " + what + " (" + option + " = " + std::to_string(limit) +
                           "); write it with fewer 'or' inside 'and', or as several subscriptions"};
    }

    static Sets without_subsumed(Sets sets) {
        std::stable_sort(sets.begin(), sets.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
        Sets kept;
        for (LiteralSet& set : sets) {
            const bool subsumed =
                std::any_of(kept.begin(), kept.end(), [&](const auto& k) { return includes(set, k); });
            if (!subsumed) kept.push_back(std::move(set));
        }
        return kept;
    }

    const NormalFormLimits& limits_;
};

}  // namespace

std::vector<LiteralSet> disjunctive_normal_form(const Formula& formula, const NormalFormLimits& limits) {
    return NormalForm(limits).run(formula, false);
}

}  // namespace sluice
