#include "protocol/filter/compile/formula.hpp"

#include <algorithm>
#include <utility>

namespace sluice::filter {

namespace {

Formula make_joined(Formula::Kind kind, std::vector<Formula> parts) {
    const bool absorbing = kind == Formula::Kind::any;
    std::vector<Formula> kept;
    for (Formula& part : parts) {
        if (part.kind == kind) {
            std::move(part.parts.begin(), part.parts.end(), std::back_inserter(kept));
        } else if (part.kind != Formula::Kind::constant) {
            kept.push_back(std::move(part));
        } else if (part.value == absorbing) {
            return make_constant(absorbing);
        }
    }
    std::stable_sort(kept.begin(), kept.end(), [](const Formula& a, const Formula& b) { return a.text < b.text; });
    const auto equal = [](const Formula& a, const Formula& b) { return a.text == b.text; };
    kept.erase(std::unique(kept.begin(), kept.end(), equal), kept.end());
    if (kept.empty()) return make_constant(!absorbing);
    if (kept.size() == 1) return std::move(kept.front());

    Formula joined;
    joined.kind = kind;
    joined.parts = std::move(kept);
    for (const Formula& part : joined.parts) {
        if (!joined.text.empty()) joined.text += kind == Formula::Kind::all ? " and " : " or ";
        const bool parenthesise = kind == Formula::Kind::all && part.kind == Formula::Kind::any;
        joined.text += parenthesise ? "(" + part.text + ")" : part.text;
    }
    return joined;
}

}  // namespace

Formula make_constant(bool value) {
    Formula f;
    f.value = value;
    f.text = value ? "true()" : "false()";
    return f;
}

Formula make_leaf(std::size_t leaf, std::string text) {
    Formula f;
    f.kind = Formula::Kind::leaf;
    f.leaf = leaf;
    f.text = std::move(text);
    return f;
}

Formula negate(Formula formula) {
    if (formula.kind == Formula::Kind::constant) return make_constant(!formula.value);
    if (formula.kind == Formula::Kind::negation) {
        Formula inner = std::move(formula.parts.front());
        return inner;
    }
    Formula f;
    f.kind = Formula::Kind::negation;
    f.text = "not(" + formula.text + ")";
    f.parts.push_back(std::move(formula));
    return f;
}

Formula make_all(std::vector<Formula> parts) { return make_joined(Formula::Kind::all, std::move(parts)); }
Formula make_any(std::vector<Formula> parts) { return make_joined(Formula::Kind::any, std::move(parts)); }

}  // namespace sluice::filter
