#include "protocol/feed/item/event_json.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "protocol/feed/data/json_text.hpp"
#include "protocol/feed/item/event_data.hpp"
#include "protocol/feed/item/event_trace.hpp"
#include "protocol/feed/item/fields.hpp"
#include "protocol/feed/model/node_text.hpp"
#include "protocol/feed/model/text_arena.hpp"
#include "protocol/text/ascii.hpp"
#include "protocol/text/date.hpp"

namespace sluice::feed {

namespace {

// What the names of an event's paths may take: a multiple of the item's source, and a constant.
constexpr std::size_t names_times = 4, names_bytes_min = 4'096;

bool is_blank(std::string_view text) { return std::all_of(text.begin(), text.end(), text::is_ascii_space); }

// The values of an item by path: a list of groups in order of first appearance, each with a chain of values.
class PathValues {
public:
    // The names of the paths take at most `names_max` bytes; further paths are left out.
    PathValues(TreeNode item, std::size_t names_max) : names_left_(names_max) { element(item, false); }

    void write(JsonWriter& json) const;
    std::size_t omitted() const { return omitted_; }  // values left out

private:
    static constexpr std::size_t none = ~std::size_t{0};

    struct Value {
        std::string_view text;
        std::size_t next = none;
    };
    struct Group {
        std::string_view path;  // the key of index_
        std::size_t first = none;
        std::size_t last = none;
    };

    void element(TreeNode node, bool is_markup);
    bool attributes(TreeNode node);
    void add(std::string_view value);

    std::size_t names_left_;
    std::size_t omitted_ = 0;
    TextArena arena_;
    std::string path_;
    std::vector<Value> values_;
    std::vector<Group> groups_;
    std::unordered_map<std::string, std::size_t> index_;
};

// Recurses to the document's depth, which is limited.
void PathValues::element(TreeNode node, bool is_markup) {
    const bool has_attributes = attributes(node);
    bool has_elements = false, has_text = false;
    for (const TreeNode child : node.children()) {
        if (child.is_element()) has_elements = true;
        if (child.is_text() && !is_blank(child.value())) has_text = true;
    }
    if (!is_markup && (has_text || (!has_elements && !has_attributes))) add(string_value(node, arena_));
    if (!has_elements) return;

    const std::size_t length = path_.size();
    for (const TreeNode child : node.children()) {
        if (!child.is_element()) continue;
        if (length > 0) path_ += '/';
        path_ += child.name();
        element(child, is_markup || has_text);
        path_.resize(length);
    }
}

bool PathValues::attributes(TreeNode node) {
    const std::size_t length = path_.size();
    bool any = false;
    for (const TreeAttribute& attribute : node.attributes()) {
        if (!is_xpath_attribute(attribute.name())) continue;
        any = true;
        path_.append(length > 0 ? "/@" : "@").append(attribute.name());
        add(attribute.value());
        path_.resize(length);
    }
    return any;
}

void PathValues::add(std::string_view value) {
    if (path_.size() > path_bytes_max) {
        ++omitted_;
        return;
    }
    const auto [found, is_new] = index_.try_emplace(path_.empty() ? "." : path_, groups_.size());
    if (is_new && found->first.size() > names_left_) {
        index_.erase(found);
        ++omitted_;
        return;
    }
    if (is_new) {
        names_left_ -= found->first.size();
        groups_.push_back({found->first, values_.size(), values_.size()});
    }
    Group& group = groups_[found->second];
    if (!is_new) group.last = values_[group.last].next = values_.size();
    values_.push_back({value, none});
}

void PathValues::write(JsonWriter& json) const {
    json.open('{');
    for (const Group& group : groups_) {
        json.name(group.path);
        json.open('[');
        for (std::size_t v = group.first; v != none; v = values_[v].next) json.string(values_[v].text);
        json.close(']');
    }
    json.close('}');
}

// Names are given as they are written.
template <std::size_t n>
void write_text(JsonWriter& json, const char (&name)[n], const std::optional<std::string_view>& text) {
    if (!text) return;
    json.written_name(name);
    json.string(*text);
}

template <std::size_t n>
void write_texts(JsonWriter& json, const char (&name)[n], const FieldTexts& texts) {
    if (texts.empty()) return;
    json.written_name(name);
    json.open('[');
    for (const std::string_view text : texts) json.string(text);
    json.close(']');
}

template <std::size_t n>
void write_time(JsonWriter& json, const char (&name)[n], const std::optional<double>& time) {
    if (!time) return;
    json.written_name(name);
    char text[text::rfc3339_bytes + 2] = {'"'};
    const std::size_t size = text::write_rfc3339(text + 1, *time);
    text[1 + size] = '"';
    json.literal(size == 0 ? "null" : std::string_view(text, size + 2));
}

void write_fields(JsonWriter& json, const Fields& fields) {
    json.open('{');
    write_text(json, R"("title":)", fields.title);
    write_text(json, R"("link":)", fields.link);
    write_text(json, R"("id":)", fields.id);
    write_texts(json, R"("author":)", fields.authors);
    write_time(json, R"("published":)", fields.published);
    write_time(json, R"("updated":)", fields.updated);
    write_text(json, R"("summary":)", fields.summary);
    write_text(json, R"("content":)", fields.content);
    write_texts(json, R"("category":)", fields.category);
    json.close('}');
}

void write_values(JsonWriter& json, const Item& item) {
    const PathValues values(item.element, names_times * item.source.size() + names_bytes_min);
    json.written_name(R"("values":)");
    values.write(json);
    if (values.omitted() == 0) return;
    json.written_name(R"("values_omitted":)");
    json.number(values.omitted());
}

void write_append(JsonWriter& json, const Event& event) {
    if (event.time == 0) return;
    json.written_name(R"("time":)");
    char time[text::rfc3339_bytes + 2];
    time[0] = time[1 + text::rfc3339_bytes] = '"';
    text::write_rfc3339_us(time + 1, event.time);
    json.literal({time, sizeof time});
    json.written_name(R"("change":)");
    json.literal(event.change == EventRecord::Change::added ? R"("new")" : R"("updated")");
}

void write_trace(JsonWriter& json, const text::TraceContext& trace) {
    if (trace.empty()) return;
    json.written_name(R"("traceparent":)");
    json.string(trace.parent);
    if (trace.state.empty()) return;
    json.written_name(R"("tracestate":)");
    json.string(trace.state);
}

void write_dead_letter(JsonWriter& json, const DeadLetter& letter) {
    json.written_name(R"("dead_letter":)");
    json.open('{');
    json.written_name(R"("subscription":)");
    json.string(letter.subscription);
    json.written_name(R"("stream":)");
    json.string(letter.stream);
    json.written_name(R"("id":)");
    json.number(letter.id);
    json.written_name(R"("deliveries":)");
    json.number(letter.deliveries);
    json.written_name(R"("reason":)");
    json.string(letter.reason);
    json.close('}');
}

}  // namespace

std::string event_json(const Event& event, JsonValues values) {
    const Document& document = *event.document;
    const bool has_data = has_event_data(document);
    constexpr std::size_t around = 512;  // names, times, the stream
    JsonWriter json(event.item().source.size() * (has_data ? 2 : 1) + around);
    json.open('{');
    json.written_name(R"("id":)");
    json.number(event.id);
    json.written_name(R"("stream":)");
    json.string(*event.stream);
    write_append(json, event);
    write_trace(json, trace_of(event));
    if (document.dead_letter() != nullptr) write_dead_letter(json, *document.dead_letter());
    json.written_name(R"("item":)");
    write_fields(json, read_fields(document, event.item()));
    if (has_data) {
        json.written_name(R"("data":)");
        write_event_data(json, event);
    }
    if (values == JsonValues::all || document.format() == FeedFormat::xml) write_values(json, event.item());
    json.close('}');
    return json.take();
}

}  // namespace sluice::feed
