#include "protocol/feed/scan_budget.hpp"

#include <cmath>
#include <iterator>

namespace sluice {

namespace {

constexpr double ns_per_node = 20;                    // that is visited
constexpr ScanBudget::Duration worth_noting{10'000};  // ten thousand items that each take less are a tenth of a second

}  // namespace

bool ScanBudget::allows(const void* leaf, std::size_t searches, const DocumentPtr& document) {
    if (time_max_ == Duration::max()) return true;
    const auto spent = spent_.empty() ? spent_.end() : spent_.find({leaf, document.get()});
    if (spent != spent_.end() && spent->second.time > time_max_ && !spent->second.document.expired()) return false;
    // A single search is bounded by limits.values.
    if (searches < 2) return true;
    const double ns = ns_per_node * std::pow(nodes(*document), static_cast<double>(searches));
    return ns <= static_cast<double>(time_max_.count());
}

void ScanBudget::spend(const void* leaf, const DocumentPtr& document, Duration time) {
    if (time < worth_noting) return;
    Spent& spent = spent_[{leaf, document.get()}];
    if (spent.document.expired()) spent = {document, Duration{0}};
    spent.time += time;
}

void ScanBudget::end_batch() {
    nodes_.clear();
    std::erase_if(spent_, [](const auto& entry) { return entry.second.document.expired(); });
}

void ScanBudget::forget_leaves() { spent_.clear(); }

double ScanBudget::nodes(const Document& document) {
    struct Counter final : pugi::xml_tree_walker {
        double nodes = 0;
        bool for_each(pugi::xml_node& node) override {
            nodes += 1 + static_cast<double>(std::distance(node.attributes_begin(), node.attributes_end()));
            return true;
        }
    };
    const auto [known, is_new] = nodes_.try_emplace(&document, 0);
    if (is_new) {
        Counter counter;
        pugi::xml_node root = document.tree();
        root.traverse(counter);
        known->second = counter.nodes;
    }
    return known->second;
}

}  // namespace sluice
