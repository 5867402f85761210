#include "protocol/feed/scanned_leaves.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "protocol/feed/scan_budget.hpp"
#include "protocol/feed/variables.hpp"
#include "protocol/filter/fault.hpp"
#include "protocol/filter/searches.hpp"

namespace sluice {

namespace {

constexpr std::string_view test_prefix = "test ";
constexpr std::string_view select_prefix = "select ";

// The variables that expressions refer to, with the values that they have for one event.
class BoundVariables {
public:
    BoundVariables() {
        for (const std::string_view name : field_variables) {
            variables_[at(name)] = set_.add(std::string(name).c_str(), pugi::xpath_type_node_set);
        }
    }

    pugi::xpath_variable_set& set() { return set_; }

    void bind(const Event& event) {
        if (event_ && event_->document == event.document && event_->index == event.index &&
            event_->stream == event.stream) {
            return;
        }
        event_ = event;
        values_.reset();
        VariableReader reader(event);
        for (const std::string_view name : field_variables) bind(name, reader);
    }

    void forget() { event_.reset(); }

private:
    static std::size_t at(std::string_view name) { return static_cast<std::size_t>(*find_variable(name)); }

    void bind(std::string_view name, VariableReader& reader) {
        std::vector<pugi::xpath_node> nodes;
        for (const std::string& text : reader.values(*find_variable(name))) {
            pugi::xml_node element = values_.append_child(std::string(name).c_str());
            element.append_child(pugi::node_pcdata).set_value(text.c_str());
            nodes.emplace_back(element);
        }
        variables_[at(name)]->set(pugi::xpath_node_set(nodes.data(), nodes.data() + nodes.size()));
    }

    pugi::xpath_variable_set set_;
    std::array<pugi::xpath_variable*, field_variables.size()> variables_{};
    pugi::xml_document values_;
    std::optional<Event> event_;
};

// One leaf, compiled. An expression that pugixml refuses has no query and holds for nothing; the filter compiler lets
// none through.
struct Query {
    std::optional<pugi::xpath_query> compiled;
    bool selects = false;
    bool has_variables = false;
    std::size_t searches = 0;
};

std::size_t searches_of(std::string_view text) {
    try {
        return xpath::nested_searches(text);
    } catch (const xpath::Fault&) {
        return 0;
    }
}

Query compile(std::string_view key, pugi::xpath_variable_set& variables) {
    Query query;
    query.selects = key.starts_with(select_prefix);
    if (!query.selects && !key.starts_with(test_prefix)) return query;
    const std::string text(key.substr(query.selects ? select_prefix.size() : test_prefix.size()));
    query.has_variables = text.find('$') != std::string::npos;
    query.searches = searches_of(text);
    try {
        query.compiled.emplace(text.c_str(), &variables);
        if (query.selects && query.compiled->return_type() != pugi::xpath_type_node_set) query.compiled.reset();
    } catch (const pugi::xpath_exception&) {
        query.compiled.reset();
    }
    return query;
}

// The elements of a node-set, for binary search.
std::vector<const void*> elements(const pugi::xpath_node_set& nodes) {
    std::vector<const void*> found;
    found.reserve(nodes.size());
    for (const pugi::xpath_node& node : nodes) {
        if (node.node()) found.push_back(node.node().internal_object());
    }
    std::ranges::sort(found);
    return found;
}

struct Selection {
    const Query* query = nullptr;
    DocumentPtr document;  // kept, so that no other document takes its address

    friend bool operator==(const Selection&, const Selection&) = default;
};

struct SelectionHash {
    std::size_t operator()(const Selection& s) const {
        return std::hash<const void*>{}(s.query) * 31 + std::hash<const void*>{}(s.document.get());
    }
};

}  // namespace

struct ScannedLeaves::State {
    BoundVariables variables;
    std::vector<std::string> keys;
    std::vector<std::unique_ptr<const Query>> leaves;  // by index of keys
    std::unordered_map<Selection, std::vector<const void*>, SelectionHash> selected;
    ScanBudget budget;

    explicit State(ScanBudget::Duration time_max) : budget(time_max) {}

    bool selects(const Query& query, const Event& event);
};

bool ScannedLeaves::State::selects(const Query& query, const Event& event) {
    const void* element = event.item().element.internal_object();
    const auto evaluate = [&] { return elements(query.compiled->evaluate_node_set(event.document->tree())); };
    if (query.has_variables) return std::ranges::binary_search(evaluate(), element);
    const auto [found, is_new] = selected.try_emplace({&query, event.document});
    if (is_new) found->second = evaluate();
    return std::ranges::binary_search(found->second, element);
}

ScannedLeaves::ScannedLeaves(std::chrono::nanoseconds time_max) : state_(std::make_unique<State>(time_max)) {}
ScannedLeaves::~ScannedLeaves() = default;
ScannedLeaves::ScannedLeaves(ScannedLeaves&&) noexcept = default;
ScannedLeaves& ScannedLeaves::operator=(ScannedLeaves&&) noexcept = default;

void ScannedLeaves::assign(std::span<const std::string> keys) {
    end_batch();
    // Nearly always the list has only grown: what is at its place stays there.
    auto& old_keys = state_->keys;
    auto& leaves = state_->leaves;
    const auto changed = std::ranges::mismatch(old_keys, keys).in1;
    const auto kept = static_cast<std::size_t>(changed - old_keys.begin());
    if (kept < leaves.size()) state_->budget.forget_leaves();
    std::unordered_map<std::string, std::unique_ptr<const Query>> moved;
    for (std::size_t i = kept; i < leaves.size(); ++i) moved.emplace(std::move(old_keys[i]), std::move(leaves[i]));
    old_keys.assign(keys.begin(), keys.end());
    leaves.resize(kept);
    for (const std::string& key : keys.subspan(kept)) {
        const auto known = moved.find(key);
        std::unique_ptr<const Query> query = known == moved.end() ? nullptr : std::move(known->second);
        if (!query) query = std::make_unique<const Query>(compile(key, state_->variables.set()));
        leaves.push_back(std::move(query));
    }
}

std::optional<bool> ScannedLeaves::holds(std::size_t leaf, const Event& event) {
    const Query& query = *state_->leaves[leaf];
    if (!query.compiled) return false;
    if (!state_->budget.allows(&query, query.searches, event.document)) return std::nullopt;
    if (query.has_variables) state_->variables.bind(event);
    if (query.selects) return state_->selects(query, event);
    return query.compiled->evaluate_boolean(event.item().element);
}

void ScannedLeaves::took(std::size_t leaf, const Event& event, std::chrono::nanoseconds time) {
    state_->budget.spend(state_->leaves[leaf].get(), event.document, time);
}

void ScannedLeaves::end_batch() {
    state_->selected.clear();
    state_->variables.forget();
    state_->budget.end_batch();
}

}  // namespace sluice
