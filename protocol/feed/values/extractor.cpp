#include "protocol/feed/values/extractor.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <utility>

#include "protocol/feed/item/variables.hpp"
#include "protocol/feed/model/node_text.hpp"
#include "protocol/feed/values/path_trie.hpp"
#include "protocol/feed/values/value_sink.hpp"
#include "protocol/filter/syntax/xpath_number.hpp"

namespace sluice::feed {

namespace {

// What is read at one level: the item's element, its parent, its grandparent …
struct Base {
    PathTrie trie;
    PathTrie wide;                     // the paths with "*" before their end: many of them may lead to one element
    std::vector<std::uint32_t> names;  // attributes that read the element's name
};

// A path that is read by itself.
struct LonePath {
    filter::AttributePath path;
    PathReader reader;

    // The order in which they are read.
    auto rank() const {
        const auto any = static_cast<std::size_t>(std::count(path.children.begin(), path.children.end(), "*"));
        return std::tuple(any, path.children.size(), reader.attribute);
    }
};

// Where values go.
struct Output {
    std::vector<engine::Value>& values;
    TextArena& arena;
    std::vector<std::uint32_t>& unknown;  // attributes
    ReadingBudget& reading;
};

TreeNode ancestor(TreeNode node, std::size_t parents) {
    for (; parents > 0 && node; --parents) node = node.parent();
    return node;
}

// The number of events in a row, this one among them, whose elements are as many levels below the node.
std::uint32_t events_below(TreeNode node, std::size_t levels, const Event& event) {
    const std::span<const Item> items = event.document->items();
    if (levels == 0) return static_cast<std::uint32_t>(items.size());  // the feed's fields
    std::size_t first = event.index, end = event.index + 1;
    const auto is_below = [&](const Item& item) { return ancestor(item.element, levels) == node; };
    while (first > 0 && is_below(items[first - 1])) --first;
    while (end < items.size() && is_below(items[end])) ++end;
    return static_cast<std::uint32_t>(end - first);
}

void walk_attributes(const PathTrie& trie, std::uint32_t at, TreeNode node, ValueSink& sink) {
    for (const TreeAttribute& attribute : node.attributes()) {
        sink.pass();
        const std::string_view name = attribute.name();
        if (!is_xpath_attribute(name)) continue;
        const std::uint32_t named = trie.attribute(at, name);
        if (named != PathTrie::none) sink.text(trie.readers(named), attribute.value());
        const std::uint32_t any = trie[at].any_attribute;
        if (any != PathTrie::none) sink.text(trie.readers(any), attribute.value());
    }
}

// Recurses as deep as both the paths and the document go.
void walk(const PathTrie& trie, std::uint32_t at, TreeNode node, ValueSink& sink, Output& to) {
    const PathTrie::Step& step = trie[at];
    if (step.readers != PathTrie::none) sink.element(trie.readers(at), node);
    if (step.reads_attributes()) walk_attributes(trie, at, node, sink);
    if (!step.goes_on()) return;
    for (TreeNode child = node.first_child(); child;) {
        sink.pass();
        if (step.text != PathTrie::none && child.is_text()) {
            const std::string_view text = joined_text(child, child, to.arena, &to.reading.meter());
            if (!text.empty()) sink.text(trie.readers(step.text), text);
            continue;
        }
        if (child.is_element()) {
            const std::uint32_t next = trie.child(at, child.name());
            if (next != PathTrie::none) walk(trie, next, child, sink, to);
            if (step.any_child != PathTrie::none) walk(trie, step.any_child, child, sink, to);
        }
        child = child.next_sibling();
    }
}

// Drops what `read` has added if it returns false.
template <class Read>
bool read_or_drop(Output& to, const Read& read) {
    const std::size_t values = to.values.size(), texts = to.arena.count();
    if (read()) return true;
    to.values.erase(to.values.begin() + static_cast<std::ptrdiff_t>(values), to.values.end());
    to.arena.keep_first(texts);
    return false;
}

void walk(const PathTrie& trie, TreeNode node, Output& to) {
    ValueSink sink(to.values, to.arena, to.reading.meter());
    walk(trie, PathTrie::root, node, sink, to);
    sink.finish();
}

void read_alone(const filter::AttributePath& path, const PathReader& reader, TreeNode node, Output& to) {
    const auto read = [&] {
        return to.reading.alone([&] {
            PathTrie trie;
            trie.add(path, reader);
            walk(trie, node, to);
        });
    };
    if (!read_or_drop(to, read)) to.unknown.push_back(reader.attribute);
}

void read_together(const PathTrie& trie, TreeNode node, Output& to) {
    const auto read = [&] { return to.reading.together([&] { walk(trie, node, to); }); };
    if (read_or_drop(to, read)) return;
    trie.for_each([&](const auto& path, const PathReader& reader) {
        if (to.reading.has_left_alone())
            read_alone(path(), reader, node, to);
        else
            to.unknown.push_back(reader.attribute);
    });
}

// Together, within the budget of one path by itself; if that is not enough, one by one.
void read_wide(const PathTrie& trie, TreeNode node, Output& to) {
    const auto read = [&] { return to.reading.together([&] { walk(trie, node, to); }, to.reading.alone_max()); };
    if (read_or_drop(to, read)) return;
    std::vector<LonePath> paths;
    trie.for_each([&](const auto& path, const PathReader& reader) {
        if (to.reading.has_left_alone())
            paths.push_back({path(), reader});
        else
            to.unknown.push_back(reader.attribute);
    });
    std::sort(paths.begin(), paths.end(), [](const auto& a, const auto& b) { return a.rank() < b.rank(); });
    for (const LonePath& lone : paths) read_alone(lone.path, lone.reader, node, to);
}

// Nothing is read of a level that the document lacks.
void read(const Base& base, TreeNode node, Output& to) {
    if (!node) return;
    if (!base.trie.empty()) read_together(base.trie, node, to);
    if (!base.wide.empty()) read_wide(base.wide, node, to);
    for (const std::uint32_t attribute : base.names)
        to.values.push_back({attribute, node.name(), filter::xpath_number({})});
}

// Calls add(sink) with the sink that the readers' values go to.
template <class Add>
void read_freely(Output& to, const Add& add) {
    to.reading.freely([&] {
        ValueSink sink(to.values, to.arena, to.reading.meter());
        add(sink);
        sink.finish();
    });
}

std::string path_of(TreeNode element) {
    std::vector<std::string_view> names;
    for (; element.is_element(); element = element.parent()) names.emplace_back(element.name());
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
    std::array<std::vector<PathReader>, field_variables.size()> variables;
    std::vector<std::uint32_t> paths;
    std::size_t names = 0;
    bool reads_item_fields = false;  // of the variables before the stream
    bool reads_feed_fields = false;

    bool reads_outside() const { return reads_feed_fields || bases.upper_bound(0) != bases.end(); }
    void add(std::uint32_t id, const filter::Attribute& attribute);
    void add_variable(std::uint32_t id, const filter::Attribute& attribute);

    void read_item(const Event& event, Output& to) const;
    template <class Visit>
    void for_each_outside(const Event& event, Visit visit) const;
    void share_outside(const Event& event, const std::shared_ptr<const void>& self, engine::EventBatch& batch,
                       ValueGroups& groups, ReadingBudget& reading) const;
    void read_variables(const Event& event, Variable first, Variable last, Output& to) const;
};

void Extractor::Plan::add(std::uint32_t id, const filter::Attribute& attribute) {
    if (attribute.function == filter::Attribute::Function::path) return paths.push_back(id);
    if (!attribute.variable.empty()) return add_variable(id, attribute);
    Base& base = bases[attribute.path.parents];
    if (attribute.function == filter::Attribute::Function::name) return base.names.push_back(id);
    const auto& children = attribute.path.children;
    const auto any = std::find(children.begin(), children.end(), "*");
    const bool is_wide = any != children.end() && any + 1 != children.end();
    (is_wide ? base.wide : base.trie).add(attribute.path, {id, attribute.function});
}

void Extractor::Plan::add_variable(std::uint32_t id, const filter::Attribute& attribute) {
    const std::optional<Variable> variable = find_variable(attribute.variable);
    if (!variable) return;
    variables[static_cast<std::size_t>(*variable)].push_back({id, attribute.function});
    if (*variable != Variable::stream) (*variable > Variable::stream ? reads_feed_fields : reads_item_fields) = true;
}

// Reads the item's own values.
void Extractor::Plan::read_item(const Event& event, Output& to) const {
    const TreeNode element = event.item().element;
    if (const auto base = bases.find(0); base != bases.end()) read(base->second, element, to);
    for (const std::uint32_t attribute : paths)
        to.values.push_back({attribute, to.arena.keep(path_of(element)), filter::xpath_number({})});
    if (reads_item_fields) read_variables(event, Variable::title, Variable::category, to);
    const auto& of_stream = variables[static_cast<std::size_t>(Variable::stream)];
    if (!of_stream.empty()) read_freely(to, [&](ValueSink& sink) { sink.text(of_stream, *event.stream); });
}

// Calls visit(place, node, read) for each base above the item that the document has, and for the feed's fields, whose
// place is 0.
template <class Visit>
void Extractor::Plan::for_each_outside(const Event& event, Visit visit) const {
    TreeNode node = event.item().element;
    std::size_t level = 0;
    for (auto at = bases.upper_bound(0); at != bases.end(); ++at) {
        const auto& [parents, base] = *at;
        node = ancestor(node, parents - std::exchange(level, parents));
        if (!node) break;
        visit(parents, node, [&, &base = base](Output& to) { read(base, node, to); });
    }
    if (!reads_feed_fields) return;
    visit(0, TreeNode(), [&](Output& to) { read_variables(event, Variable::feed_title, Variable::feed_link, to); });
}

void Extractor::Plan::share_outside(const Event& event, const std::shared_ptr<const void>& self,
                                    engine::EventBatch& batch, ValueGroups& groups, ReadingBudget& reading) const {
    for_each_outside(event, [&](std::size_t place, TreeNode node, const auto& read) {
        groups.share({self, place, node.address(), event.document}, batch,
                     [&](std::vector<engine::Value>& values, TextArena& texts, std::vector<std::uint32_t>& unknown) {
                         Output to{values, texts, unknown, reading};
                         read(to);
                         sort_by_attribute(values);
                         return events_below(node, place, event);
                     });
    });
}

void Extractor::Plan::read_variables(const Event& event, Variable first, Variable last, Output& to) const {
    VariableReader reader(event);
    for (auto v = static_cast<std::size_t>(first); v <= static_cast<std::size_t>(last); ++v) {
        if (variables[v].empty()) continue;
        read_freely(to, [&](ValueSink& sink) {
            for (std::string& text : reader.values(static_cast<Variable>(v)))
                sink.text(variables[v], to.arena.keep(std::move(text)));
        });
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

void Extractor::extract(const Event& event, engine::EventBatch& batch, TextArena& arena, ValueGroups& groups,
                        ReadingBudget& reading) const {
    const bool shares = event.document->items().size() > 1;
    const std::size_t begin = batch.values.size(), begin_unknown = batch.unknown.size();
    std::vector<std::uint32_t> unknown;
    Output to{batch.values, arena, unknown, reading};
    reading.begin(event);
    plan_->read_item(event, to);
    if (!shares) plan_->for_each_outside(event, [&](std::size_t, TreeNode, const auto& read) { read(to); });
    sort_by_attribute(std::span(batch.values).subspan(begin));
    if (shares && plan_->reads_outside()) plan_->share_outside(event, plan_, batch, groups, reading);
    for (const std::uint32_t attribute : unknown)
        batch.unknown.push_back({static_cast<std::uint32_t>(batch.size()), attribute});
    std::sort(batch.unknown.begin() + static_cast<std::ptrdiff_t>(begin_unknown), batch.unknown.end());
    batch.end_event();
}

}  // namespace sluice::feed
