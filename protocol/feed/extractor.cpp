#include "protocol/feed/extractor.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "protocol/feed/node_text.hpp"
#include "protocol/feed/path_trie.hpp"
#include "protocol/feed/value_sink.hpp"
#include "protocol/feed/variables.hpp"
#include "protocol/filter/xpath_number.hpp"

namespace sluice::feed {

namespace {

// What is read at one level: the item's element, its parent, its grandparent …
struct Base {
    PathTrie trie;
    std::vector<Fold> folds;
    std::vector<std::uint32_t> names;  // attributes that read the element's name
};

struct VariableBase {
    std::vector<PathReader> readers;
    std::vector<Fold> folds;
};

PathReader make_reader(std::uint32_t attribute, filter::Attribute::Function function, std::vector<Fold>& folds) {
    PathReader reader{attribute, function, PathReader::no_fold};
    if (is_fold(function)) {
        reader.fold = static_cast<std::uint32_t>(folds.size());
        folds.push_back({attribute, function, false, 0, {}});
    }
    return reader;
}

pugi::xml_node ancestor(pugi::xml_node node, std::size_t parents) {
    for (; parents > 0 && node; --parents) node = node.parent();
    return node;
}

void walk_attributes(const PathTrie& trie, std::uint32_t at, pugi::xml_node node, ValueSink& sink) {
    for (const pugi::xml_attribute& attribute : node.attributes()) {
        const std::string_view name = attribute.name();
        if (!is_xpath_attribute(name)) continue;
        const std::uint32_t named = trie[at].has_attributes ? trie.attribute(at, name) : PathTrie::none;
        if (named != PathTrie::none) sink.text(trie.readers(named), attribute.value());
        const std::uint32_t any = trie[at].any_attribute;
        if (any != PathTrie::none) sink.text(trie.readers(any), attribute.value());
    }
}

// Recurses as deep as both the paths and the document go.
void walk(const PathTrie& trie, std::uint32_t at, pugi::xml_node node, ValueSink& sink, TextArena& arena) {
    const PathTrie::Step& step = trie[at];
    if (step.readers != PathTrie::none) sink.element(trie.readers(at), node);
    if (step.reads_attributes()) walk_attributes(trie, at, node, sink);
    if (!step.goes_on()) return;
    for (pugi::xml_node child = node.first_child(); child;) {
        if (step.text != PathTrie::none && is_text(child)) {
            const std::string_view text = joined_text(child, child, arena);
            if (!text.empty()) sink.text(trie.readers(step.text), text);
            continue;
        }
        if (child.type() == pugi::node_element) {
            const std::uint32_t next = step.has_children ? trie.child(at, child.name()) : PathTrie::none;
            if (next != PathTrie::none) walk(trie, next, child, sink, arena);
            if (step.any_child != PathTrie::none) walk(trie, step.any_child, child, sink, arena);
        }
        child = child.next_sibling();
    }
}

void read(const Base& base, pugi::xml_node node, std::vector<engine::Value>& values, TextArena& arena) {
    ValueSink sink(base.folds, values, arena);
    if (node) walk(base.trie, PathTrie::root, node, sink, arena);
    sink.finish();
    for (const std::uint32_t attribute : base.names)
        values.push_back({attribute, node.name(), filter::xpath_number({})});
}

void read(const VariableBase& base, Variable variable, VariableReader& reader, std::vector<engine::Value>& values,
          TextArena& arena) {
    ValueSink sink(base.folds, values, arena);
    for (std::string& text : reader.values(variable)) sink.text(base.readers, arena.keep(std::move(text)));
    sink.finish();
}

std::string path_of(pugi::xml_node element) {
    std::vector<std::string_view> names;
    for (; element.type() == pugi::node_element; element = element.parent()) names.emplace_back(element.name());
    std::string path;
    for (auto name = names.rbegin(); name != names.rend(); ++name) path.append("/").append(*name);
    return path;
}

// Few values, almost in order: insertion sort is fastest. It is stable, so an attribute's values stay in document
// order.
void sort_by_attribute(std::span<engine::Value> values) {
    constexpr std::size_t few = 64;
    const auto before = [](const engine::Value& a, const engine::Value& b) { return a.attribute < b.attribute; };
    if (values.size() > few) return std::stable_sort(values.begin(), values.end(), before);
    for (auto value = values.begin(); value != values.end(); ++value) {
        std::rotate(std::upper_bound(values.begin(), value, *value, before), value, std::next(value));
    }
}

}  // namespace

struct Extractor::Plan {
    std::map<std::size_t, Base> bases;  // by number of parents; [0] is the item itself
    std::array<VariableBase, field_variables.size()> variables;
    std::vector<std::uint32_t> paths;
    std::size_t names = 0;
    bool reads_item_fields = false;
    bool reads_feed_fields = false;

    bool reads_outside() const { return reads_feed_fields || bases.upper_bound(0) != bases.end(); }
    void add(std::uint32_t id, const filter::Attribute& attribute);
    void add_variable(std::uint32_t id, const filter::Attribute& attribute);

    void read_item(const Event& event, std::vector<engine::Value>& values, TextArena& arena) const;
    template <class Visit>
    void for_each_outside(const Event& event, Visit visit) const;
    void share_outside(const Event& event, const std::shared_ptr<const void>& self, engine::EventBatch& batch,
                       ValueGroups& groups) const;
    void read_variables(const Event& event, Variable first, Variable last, std::vector<engine::Value>& values,
                        TextArena& arena) const;
};

void Extractor::Plan::add(std::uint32_t id, const filter::Attribute& attribute) {
    if (attribute.function == filter::Attribute::Function::path) return paths.push_back(id);
    if (!attribute.variable.empty()) return add_variable(id, attribute);
    Base& base = bases[attribute.path.parents];
    if (attribute.function == filter::Attribute::Function::name) return base.names.push_back(id);
    base.trie.add(attribute.path, make_reader(id, attribute.function, base.folds));
}

void Extractor::Plan::add_variable(std::uint32_t id, const filter::Attribute& attribute) {
    const std::optional<Variable> variable = find_variable(attribute.variable);
    if (!variable) return;
    VariableBase& base = variables[static_cast<std::size_t>(*variable)];
    base.readers.push_back(make_reader(id, attribute.function, base.folds));
    (*variable > Variable::stream ? reads_feed_fields : reads_item_fields) = true;
}

// Reads the item's own values.
void Extractor::Plan::read_item(const Event& event, std::vector<engine::Value>& values, TextArena& arena) const {
    const pugi::xml_node element = event.item().element;
    if (const auto base = bases.find(0); base != bases.end()) read(base->second, element, values, arena);
    for (const std::uint32_t attribute : paths) {
        values.push_back({attribute, arena.keep(path_of(element)), filter::xpath_number({})});
    }
    if (reads_item_fields) read_variables(event, Variable::title, Variable::stream, values, arena);
}

// Calls visit(place, node, read) for each base above the item, and for the feed's fields, whose place is 0.
template <class Visit>
void Extractor::Plan::for_each_outside(const Event& event, Visit visit) const {
    pugi::xml_node node = event.item().element;
    std::size_t level = 0;
    for (auto at = bases.upper_bound(0); at != bases.end(); ++at) {
        const auto& [parents, base] = *at;
        node = ancestor(node, parents - std::exchange(level, parents));
        visit(parents, node, [&, &base = base](std::vector<engine::Value>& values, TextArena& texts) {
            read(base, node, values, texts);
        });
    }
    if (!reads_feed_fields) return;
    visit(0, pugi::xml_node(), [&](std::vector<engine::Value>& values, TextArena& texts) {
        read_variables(event, Variable::feed_title, Variable::feed_link, values, texts);
    });
}

void Extractor::Plan::share_outside(const Event& event, const std::shared_ptr<const void>& self,
                                    engine::EventBatch& batch, ValueGroups& groups) const {
    for_each_outside(event, [&](std::size_t place, pugi::xml_node node, const auto& read) {
        groups.share({self, place, node.internal_object(), event.document}, batch,
                     [&](std::vector<engine::Value>& values, TextArena& texts) {
                         read(values, texts);
                         sort_by_attribute(values);
                     });
    });
}

void Extractor::Plan::read_variables(const Event& event, Variable first, Variable last,
                                     std::vector<engine::Value>& values, TextArena& arena) const {
    VariableReader reader(event);
    for (auto v = static_cast<std::size_t>(first); v <= static_cast<std::size_t>(last); ++v) {
        if (!variables[v].readers.empty()) read(variables[v], static_cast<Variable>(v), reader, values, arena);
    }
}

Extractor::Extractor(std::span<const std::string> names) : Extractor(names, std::make_shared<Plan>()) {}

Extractor::Extractor(std::span<const std::string> names, std::shared_ptr<Plan> plan) {
    for (std::size_t& id = plan->names; id < names.size(); ++id) {
        if (const auto attribute = filter::parse_attribute(names[id]))
            plan->add(static_cast<std::uint32_t>(id), *attribute);
    }
    plan_ = std::move(plan);
}

Extractor Extractor::extended(std::span<const std::string> names) const {
    if (names.size() == plan_->names) return *this;
    return Extractor(names, std::make_shared<Plan>(*plan_));
}

Extractor::~Extractor() = default;
Extractor::Extractor(const Extractor&) = default;
Extractor& Extractor::operator=(const Extractor&) = default;

void Extractor::extract(const Event& event, engine::EventBatch& batch, TextArena& arena, ValueGroups& groups) const {
    const bool shares = event.document->items().size() > 1;
    const std::size_t begin = batch.values.size();
    plan_->read_item(event, batch.values, arena);
    if (!shares) {
        plan_->for_each_outside(event,
                                [&](std::size_t, pugi::xml_node, const auto& read) { read(batch.values, arena); });
    }
    sort_by_attribute(std::span(batch.values).subspan(begin));
    if (shares && plan_->reads_outside()) plan_->share_outside(event, plan_, batch, groups);
    batch.end_event();
}

}  // namespace sluice::feed
