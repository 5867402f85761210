// JSON Feed (https://www.jsonfeed.org/version/1.1/), and JSON that is no feed: objects as events.
#include <utility>

#include "protocol/feed/data/data_parsers.hpp"
#include "protocol/feed/data/document_builder.hpp"
#include "protocol/feed/data/element_name.hpp"
#include "protocol/feed/data/json_reader.hpp"
#include "protocol/feed/data/json_tree.hpp"
#include "protocol/feed/model/parsed_document.hpp"

namespace sluice::feed {

namespace {

std::size_t content_begin(std::string_view text) { return text.starts_with("\xEF\xBB\xBF") ? 3 : 0; }

// Whether a version is that of a JSON Feed: "https://jsonfeed.org/version/1.1", also without "https" or with "www".
bool is_feed_version(std::string_view version) {
    for (const std::string_view start : {"https:", "http:", "//", "www."}) {
        if (version.starts_with(start)) version.remove_prefix(start.size());
    }
    return version.starts_with("jsonfeed.org/version/");
}

// Whether the object has a JSON Feed's version; or, if `is_named_feed`, an array of items. Faults are not noticed.
bool is_json_feed(std::string_view text, bool is_named_feed) {
    JsonReader reader(text, content_begin(text), text.size());
    if (!reader.take('{')) return false;
    std::string key;
    do {
        if (!reader.string(key) || !reader.take(':')) return false;
        if (is_named_feed && key == "items" && reader.next() == '[') return true;
        if (key != "version" || reader.next() != '"')
            reader.skip_value();
        else if (!reader.string(key) || is_feed_version(key))
            return is_feed_version(key);
    } while (reader.take(','));
    return false;
}

void read_json_feed(DocumentBuilder& builder, JsonReader& reader, JsonTree& tree) {
    const auto read_item = [&](TreeNode element) { return tree.object(element); };
    const auto read_member = [&](const std::string& key) {
        if (key != "items" || reader.next() != '[') return tree.value(builder.feed(), element_name(key));
        tree.items(read_item);
        return !builder.has_failed();
    };
    if (!tree.members(read_member) && !builder.has_failed()) tree.fail();
}

}  // namespace

ParsedDocumentResult parse_json_document(std::shared_ptr<const std::string> text, const DocumentOptions& options,
                                         bool is_named_feed) {
    const bool is_feed = is_json_feed(*text, is_named_feed);
    DocumentBuilder builder(std::move(text), is_feed ? FeedFormat::json : FeedFormat::data, options);
    JsonReader reader(builder.text(), content_begin(builder.text()), builder.text().size());
    JsonTree tree(builder, reader);
    const auto read_item = [&](TreeNode element) { return tree.object(element); };
    bool is_read = true;
    if (is_feed)
        read_json_feed(builder, reader, tree);
    else if (reader.next() == '[')
        tree.items(read_item);
    else
        is_read = tree.item(read_item);
    if (is_read) tree.end();
    return builder.finish();
}

// A bad line is refused; the next line is not affected.
ParsedDocumentResult parse_json_lines(std::shared_ptr<const std::string> text, const DocumentOptions& options) {
    DocumentBuilder builder(std::move(text), FeedFormat::data, options);
    const std::string_view lines = builder.text();
    for (std::size_t begin = content_begin(lines); begin < lines.size() && !builder.has_failed();) {
        const std::size_t end = std::min(lines.find_first_of("\r\n", begin), lines.size());
        JsonReader reader(lines, begin, end);
        begin = end + 1;
        if (reader.next() == '\0') continue;
        JsonTree tree(builder, reader);
        tree.item([&](TreeNode element) { return tree.object(element) && tree.is_at_end(); });
    }
    return builder.finish();
}

}  // namespace sluice::feed
