// CloudEvents 1.0 in its JSON event format (https://github.com/cloudevents/spec, json-format.md): one event, or a
// batch.
#include "protocol/feed/data/cloud_event.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "protocol/feed/data/data_parsers.hpp"
#include "protocol/feed/data/document_builder.hpp"
#include "protocol/feed/data/json_reader.hpp"
#include "protocol/feed/data/json_tree.hpp"
#include "protocol/feed/model/parsed_document.hpp"
#include "protocol/text/ascii.hpp"
#include "protocol/text/utf8.hpp"

namespace sluice::feed {

namespace {

constexpr std::array<std::string_view, 4> required = {"id", "source", "specversion", "type"};
constexpr std::array<std::string_view, 4> optional_texts = {"datacontenttype", "dataschema", "subject", "time"};

constexpr std::size_t shown_bytes_max = 64;  // of a name, in a message

bool is_attribute_of(std::string_view name, const std::array<std::string_view, 4>& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

class CloudEventReader {
public:
    CloudEventReader(JsonReader& reader, JsonTree& tree) : reader_(reader), tree_(tree) {}

    // Reads the members of the event that comes next, and checks what the specification demands of them.
    bool read(TreeNode element);

private:
    bool attribute(TreeNode element, const std::string& name);
    bool check_kind(const std::string& name, const std::string& shown, char first);
    bool is_complete(std::size_t begin, TreeNode element);

    JsonReader& reader_;
    JsonTree& tree_;
    std::vector<std::string> names_;  // of this event's members
};

bool CloudEventReader::read(TreeNode element) {
    names_.clear();
    const std::size_t begin = reader_.offset();
    const auto visit = [&](const std::string& key) { return attribute(element, std::string(key)); };
    return tree_.members(visit) && is_complete(begin, element);
}

bool CloudEventReader::attribute(TreeNode element, const std::string& name) {
    const std::string shown = "\"" + text::shortened_utf8(name, shown_bytes_max) + "\"";
    if (!is_cloud_event_name(name) && name != "data_base64")
        return reader_.fail("a CloudEvents attribute has lower-case letters and digits, not " + shown);
    if (std::find(names_.begin(), names_.end(), name) != names_.end())
        return reader_.fail("the CloudEvents attribute " + shown + " is given twice");
    const char first = reader_.next();
    if (first != 'n' || name == "data") {  // null is the same as no attribute
        if (names_.size() == cloud_event_attributes_max)
            return reader_.fail("a CloudEvent has at most " + std::to_string(cloud_event_attributes_max) +
                                " attributes");
        names_.push_back(name);
        if (!check_kind(name, shown, first)) return false;
    }
    return tree_.value(element, name);
}

bool CloudEventReader::check_kind(const std::string& name, const std::string& shown, char first) {
    if (name == "data") return true;
    const bool is_text =
        is_attribute_of(name, required) || is_attribute_of(name, optional_texts) || name == "data_base64";
    if (is_text && first != '"') return reader_.fail("the CloudEvents attribute " + shown + " is a string");
    if (first == '{' || first == '[')
        return reader_.fail("the CloudEvents attribute " + shown + " is a string, a number or a boolean");
    return true;
}

bool CloudEventReader::is_complete(std::size_t begin, TreeNode element) {
    const auto has = [&](std::string_view name) {
        return std::find(names_.begin(), names_.end(), name) != names_.end();
    };
    const auto fail = [&](const std::string& message) {
        reader_.go_to(begin);
        return reader_.fail(message);
    };
    for (const std::string_view name : required) {
        const std::string quoted = "\"" + std::string(name) + "\"";
        if (!has(name)) return fail("a CloudEvent has the attribute " + quoted);
        if (element && element.child_value(name).empty())
            return fail("the CloudEvents attribute " + quoted + " is not empty");
    }
    if (element.child_value("specversion") != "1.0")
        return fail("the CloudEvents attribute \"specversion\" is \"1.0\" here, no other version is known");
    if (has("data") && has("data_base64")) return fail("a CloudEvent has either \"data\" or \"data_base64\", not both");
    return true;
}

ParsedDocumentResult parse(std::shared_ptr<const std::string> text, const DocumentOptions& options, bool is_batch) {
    DocumentBuilder builder(std::move(text), FeedFormat::cloud_event, options);
    const std::size_t begin = builder.text().starts_with("\xEF\xBB\xBF") ? 3 : 0;
    JsonReader reader(builder.text(), begin, builder.text().size());
    JsonTree tree(builder, reader);
    CloudEventReader event(reader, tree);
    const auto read = [&](TreeNode element) { return event.read(element); };
    bool is_read = true;
    if (is_batch)
        tree.items(read);
    else
        is_read = tree.item(read);
    if (is_read) tree.end();
    return builder.finish();
}

}  // namespace

bool is_cloud_event_name(std::string_view name) {
    const auto is_allowed = [](char c) { return (c >= 'a' && c <= 'z') || text::is_ascii_digit(c); };
    return !name.empty() && std::all_of(name.begin(), name.end(), is_allowed);
}

ParsedDocumentResult parse_cloud_event(std::shared_ptr<const std::string> text, const DocumentOptions& options) {
    return parse(std::move(text), options, false);
}

ParsedDocumentResult parse_cloud_events(std::shared_ptr<const std::string> text, const DocumentOptions& options) {
    return parse(std::move(text), options, true);
}

}  // namespace sluice::feed
