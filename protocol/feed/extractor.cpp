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

namespace sluice {

namespace {

// What is read at one place: the item's element, its parent, its parent's parent …
struct Base {
    PathTrie trie;
    std::vector<Fold> folds;
    std::vector<std::uint32_t> names;  // attributes that are the name of the element
};

struct VariableBase {
    PathReaders readers;
    std::vector<Fold> folds;
};

PathReader make_reader(std::uint32_t attribute, Attribute::Function function, std::vector<Fold>& folds) {
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

void walk_attributes(const PathTrie::Step& step, pugi::xml_node node, ValueSink& sink) {
    for (const pugi::xml_attribute& attribute : node.attributes()) {
        const std::string_view name = attribute.name();
        if (!is_xpath_attribute(name)) continue;
        if (const PathReaders* readers = PathTrie::attribute(step, name)) sink.text(*readers, attribute.value());
        if (!step.any_attribute.empty()) sink.text(step.any_attribute, attribute.value());
    }
}

// As deep as the paths and the document both go.
void walk(const PathTrie& trie, std::uint32_t at, pugi::xml_node node, ValueSink& sink) {
    const PathTrie::Step& step = trie[at];
    if (!step.element.empty()) sink.element(step.element, node);
    if (step.reads_attributes()) walk_attributes(step, node, sink);
    if (!step.goes_on()) return;
    for (pugi::xml_node child = node.first_child(); child; child = child.next_sibling()) {
        const pugi::xml_node_type type = child.type();
        if (type == pugi::node_element) {
            const std::uint32_t next = PathTrie::child(step, child.name());
            if (next != PathTrie::none) walk(trie, next, child, sink);
            if (step.any_child != PathTrie::none) walk(trie, step.any_child, child, sink);
        } else if (!step.text.empty() && (type == pugi::node_pcdata || type == pugi::node_cdata)) {
            sink.text(step.text, child.value());
        }
    }
}

void read(const Base& base, pugi::xml_node node, std::vector<Value>& values, TextArena& arena) {
    ValueSink sink(base.folds, values, arena);
    if (node) walk(base.trie, PathTrie::root, node, sink);
    sink.finish();
    for (const std::uint32_t attribute : base.names) values.push_back({attribute, node.name(), xpath_number({})});
}

void read(const VariableBase& base, Variable variable, VariableReader& reader, std::vector<Value>& values,
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

void append(std::vector<Value>& values, std::span<const Value> more) {
    values.insert(values.end(), more.begin(), more.end());
}

// Few values, almost in order: insertion is fastest. A stable order keeps the values of an attribute in document order.
void sort_by_attribute(std::span<Value> values) {
    constexpr std::size_t few = 64;
    const auto before = [](const Value& a, const Value& b) { return a.attribute < b.attribute; };
    if (values.size() > few) return std::stable_sort(values.begin(), values.end(), before);
    for (auto value = values.begin(); value != values.end(); ++value) {
        std::rotate(std::upper_bound(values.begin(), value, *value, before), value, std::next(value));
    }
}

}  // namespace

struct Extractor::Plan {
    std::map<std::size_t, Base> bases;  // by parents; [0] is the item itself
    std::array<VariableBase, field_variables.size()> variables;
    std::vector<std::uint32_t> paths;
    bool reads_item_fields = false;
    bool reads_feed_fields = false;

    void add(std::uint32_t id, const Attribute& attribute);
    void add_variable(std::uint32_t id, const Attribute& attribute);

    void read_paths(pugi::xml_node element, const std::shared_ptr<const Plan>& self, std::vector<Value>& values,
                    TextArena& arena) const;
    void read_variables(const Event& event, const std::shared_ptr<const Plan>& self, std::vector<Value>& values,
                        TextArena& arena) const;
    void read_variables(const Event& event, Variable first, Variable last, std::vector<Value>& values,
                        TextArena& arena) const;
};

void Extractor::Plan::add(std::uint32_t id, const Attribute& attribute) {
    if (attribute.function == Attribute::Function::path) return paths.push_back(id);
    if (!attribute.variable.empty()) return add_variable(id, attribute);
    Base& base = bases[attribute.path.parents];
    if (attribute.function == Attribute::Function::name) return base.names.push_back(id);
    base.trie.add(attribute.path, make_reader(id, attribute.function, base.folds));
}

void Extractor::Plan::add_variable(std::uint32_t id, const Attribute& attribute) {
    const std::optional<Variable> variable = find_variable(attribute.variable);
    if (!variable) return;
    VariableBase& base = variables[static_cast<std::size_t>(*variable)];
    base.readers.push_back(make_reader(id, attribute.function, base.folds));
    (*variable > Variable::stream ? reads_feed_fields : reads_item_fields) = true;
}

// A place of the arena for each base above the item, the first is that of the feed's fields.
void Extractor::Plan::read_paths(pugi::xml_node element, const std::shared_ptr<const Plan>& self,
                                 std::vector<Value>& values, TextArena& arena) const {
    std::size_t place = 1;
    for (const auto& [parents, base] : bases) {
        if (parents == 0) {
            read(base, element, values, arena);
            continue;
        }
        const pugi::xml_node node = ancestor(element, parents);
        append(values, arena.shared(place++, self, node.internal_object(),
                                    [&, &base = base](std::vector<Value>& into) { read(base, node, into, arena); }));
    }
    for (const std::uint32_t attribute : paths) {
        values.push_back({attribute, arena.keep(path_of(element)), xpath_number({})});
    }
}

void Extractor::Plan::read_variables(const Event& event, const std::shared_ptr<const Plan>& self,
                                     std::vector<Value>& values, TextArena& arena) const {
    if (reads_item_fields) read_variables(event, Variable::title, Variable::stream, values, arena);
    if (!reads_feed_fields) return;
    append(values, arena.shared(0, self, event.document.get(), [&](std::vector<Value>& into) {
        read_variables(event, Variable::feed_title, Variable::feed_link, into, arena);
    }));
}

void Extractor::Plan::read_variables(const Event& event, Variable first, Variable last, std::vector<Value>& values,
                                     TextArena& arena) const {
    VariableReader reader(event);
    for (auto v = static_cast<std::size_t>(first); v <= static_cast<std::size_t>(last); ++v) {
        if (!variables[v].readers.empty()) read(variables[v], static_cast<Variable>(v), reader, values, arena);
    }
}

Extractor::Extractor(std::span<const std::string> names) {
    auto plan = std::make_shared<Plan>();
    for (std::size_t id = 0; id < names.size(); ++id) {
        if (const auto attribute = parse_attribute(names[id])) plan->add(static_cast<std::uint32_t>(id), *attribute);
    }
    plan_ = std::move(plan);
}

Extractor::~Extractor() = default;
Extractor::Extractor(Extractor&&) noexcept = default;
Extractor& Extractor::operator=(Extractor&&) noexcept = default;

void Extractor::extract(const Event& event, EventBatch& batch, TextArena& arena) const {
    const std::size_t begin = batch.values.size();
    plan_->read_paths(event.item().element, plan_, batch.values, arena);
    plan_->read_variables(event, plan_, batch.values, arena);
    sort_by_attribute(std::span(batch.values).subspan(begin));
    batch.end_event();
}

}  // namespace sluice
