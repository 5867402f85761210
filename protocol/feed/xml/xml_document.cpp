#include <algorithm>
#include <optional>
#include <utility>

#include "protocol/feed/model/limit_errors.hpp"
#include "protocol/feed/model/node_text.hpp"
#include "protocol/feed/model/parsed_document.hpp"
#include "protocol/feed/model/text_position.hpp"
#include "protocol/feed/model/tree_index.hpp"
#include "protocol/feed/xml/feed_names.hpp"
#include "protocol/feed/xml/feed_root.hpp"
#include "protocol/feed/xml/xml_scanner.hpp"
#include "protocol/filter/evaluator/evaluator.hpp"
#include "protocol/filter/filter.hpp"
#include "protocol/text/ascii.hpp"

namespace sluice::feed {

namespace {

using Vocabulary = KnownNamespace::Vocabulary;

class XmlDocumentParser {
public:
    XmlDocumentParser(std::shared_ptr<const std::string> text, const DocumentOptions& options)
        : document_(std::make_shared<ParsedDocument>()), options_(options) {
        document_->text_ = std::move(text);
    }

    ParsedDocumentResult parse();

private:
    std::optional<FeedError> load();
    bool find_feed();
    bool is_feed(pugi::xml_node element, bool is_root) const;
    bool is_feed_in_other_letters(pugi::xml_node root) const;
    bool is_feed_without_entries(pugi::xml_node root) const;
    void collect_feed(pugi::xml_node element);
    void refuse_feed(pugi::xml_node element);
    std::optional<FeedError> collect_events();
    std::optional<FeedError> select_events();
    std::optional<FeedError> locate_items();

    const ElementRange& range_of(pugi::xml_node element) const;
    bool is_in(pugi::xml_node element, Vocabulary vocabulary) const {
        const KnownNamespace* known = range_of(element).known;
        return known && known->vocabulary == vocabulary;
    }

    std::shared_ptr<ParsedDocument> document_;
    const DocumentOptions& options_;
    std::vector<ElementRange> ranges_;
    XmlNormalForm normal_form_;
    bool has_capitals_ = false;
};

// The next node in document order that is not below this one, in the tree below root; null at the end.
pugi::xml_node node_behind(pugi::xml_node node, pugi::xml_node root) {
    for (; node != root; node = node.parent()) {
        if (const pugi::xml_node sibling = node.next_sibling()) return sibling;
    }
    return {};
}

// The next node in document order, in the tree below root; null at the end.
pugi::xml_node next_node(pugi::xml_node node, pugi::xml_node root) {
    const pugi::xml_node child = node.first_child();
    return child ? child : node_behind(node, root);
}

void add_children(pugi::xml_node parent, std::string_view name, std::vector<pugi::xml_node>& children) {
    for (const pugi::xml_node child : parent.children()) {
        if (child.name() == name) children.push_back(child);
    }
}

std::vector<pugi::xml_node> items_of(pugi::xml_node feed) {
    std::vector<pugi::xml_node> items;
    if (feed.name() == std::string_view("feed")) {
        add_children(feed, "entry", items);
        return items;
    }
    for (const pugi::xml_node child : feed.children()) {
        const std::string_view name = child.name();
        if (name == "channel" || name == "items") add_children(child, "item", items);
        if (child.name() == std::string_view("item")) items.push_back(child);
    }
    return items;
}

ParsedDocumentResult XmlDocumentParser::parse() {
    if (auto error = load()) return std::move(*error);
    if (!find_feed()) {
        if (auto error = collect_events()) return std::move(*error);
    }
    if (auto error = locate_items()) return std::move(*error);
    return std::move(document_);
}

std::optional<FeedError> XmlDocumentParser::load() {
    auto scanned =
        scan_xml(*document_->text_, options_.limits, options_.digests ? &options_.digests->ignored : nullptr);
    if (!scanned) return std::move(scanned).error();
    document_->buffer_ = std::move(scanned->text);
    document_->undeclared_names_ = std::move(scanned->undeclared);
    ranges_ = std::move(scanned->elements);
    document_->context_ = std::move(scanned->context);
    has_capitals_ = scanned->has_capitals;
    normal_form_ = std::move(scanned->normal_form);
    std::string& buffer = document_->buffer_;
    const pugi::xml_parse_result parsed =
        document_->tree_.load_buffer_inplace(buffer.data(), buffer.size(), feed_parse_flags, pugi::encoding_utf8);
    if (parsed) return std::nullopt;
    return FeedError{FeedError::Kind::not_well_formed, parsed.description()};
}

// Recognises a feed by the root, or by the first element inside it that is a feed: a feed wrapped in another document.
// Further feeds in it are refused, since a document has one title, link and format.
bool XmlDocumentParser::find_feed() {
    const pugi::xml_node root = document_->tree_.document_element();
    const std::string_view prefix = std::string_view(root.name()).substr(0, prefix_size(root.name()));
    const bool has_prefix = !prefix.empty() && prefix != "rdf:";
    if ((has_prefix || (has_capitals_ && has_other_letters(root))) && is_feed_in_other_letters(root))
        give_customary_names(root, has_prefix ? prefix : std::string_view());
    if (is_feed(root, true)) return collect_feed(root), true;
    if (!options_.event_path.empty()) return false;
    for (pugi::xml_node node = root; node;) {
        if (node.type() != pugi::node_element || !is_feed(node, false)) {
            node = next_node(node, root);
            continue;
        }
        document_->feed_ ? refuse_feed(node) : collect_feed(node);
        node = node_behind(node, root);
    }
    return static_cast<bool>(document_->feed_);
}

bool XmlDocumentParser::is_feed(pugi::xml_node element, bool is_root) const {
    const std::string_view name = element.name();
    if (name == "rss") return is_root || element.child("channel");
    if (name == "channel") return is_root && is_in(element, Vocabulary::rss) && element.child("items");  // RSS 1.1
    if (name == "feed") {
        return element.child("entry") || is_in(element, Vocabulary::atom) ||
               (is_root && is_feed_without_entries(element));
    }
    if (name == "rdf:RDF" || (is_root && feed_root_kind(local_part(name)) == "rdf"))
        return element.child("item") || element.child("channel");
    return is_root && options_.event_path.empty() && (name == "item" || name == "entry");
}

// As is_feed(), but without regard to the case and prefix of names. Rare.
bool XmlDocumentParser::is_feed_in_other_letters(pugi::xml_node root) const {
    const auto has_child = [&](std::string_view name) {
        return std::any_of(root.begin(), root.end(),
                           [&](pugi::xml_node n) { return is_same_name(local_part(n.name()), name); });
    };
    const std::string_view local = local_part(root.name()), kind = feed_root_kind(local);
    if (kind == "rss") return true;
    if (kind == "feed") return has_child("entry") || is_in(root, Vocabulary::atom) || is_feed_without_entries(root);
    if (kind == "rdf") return has_child("item") || has_child("channel");
    if (is_same_name(local, "channel")) return is_in(root, Vocabulary::rss) && has_child("items");
    return options_.event_path.empty() && (is_same_name(local, "item") || is_same_name(local, "entry"));
}

// <feed> in no namespace, with a title and the like, but nothing that could be an event.
bool XmlDocumentParser::is_feed_without_entries(pugi::xml_node root) const {
    const auto may_be_event = [](pugi::xml_node n) {
        return n.type() == pugi::node_element && !is_feed_detail(local_part(n.name()));
    };
    return options_.event_path.empty() && std::none_of(root.begin(), root.end(), may_be_event);
}

void XmlDocumentParser::collect_feed(pugi::xml_node element) {
    const std::string_view name = element.name();
    document_->feed_ = element;
    if (name == "item" || name == "entry") {
        document_->format_ = name == "item" ? FeedFormat::rss : FeedFormat::atom;
        document_->feed_ = {};
        document_->items_.push_back({element, {}});
        return;
    }
    document_->format_ = name == "feed" ? FeedFormat::atom : name == "rss" ? FeedFormat::rss : FeedFormat::rdf;
    const pugi::xml_node channel = element.child("channel");
    if (channel && document_->format_ != FeedFormat::atom) document_->feed_ = channel;
    for (const pugi::xml_node item : items_of(element)) document_->items_.push_back({item, {}});
}

void XmlDocumentParser::refuse_feed(pugi::xml_node element) {
    Refusals& refusals = document_->refusals_;
    for (const pugi::xml_node item : items_of(element)) {
        if (++refusals.count > refusals_max) continue;
        const std::size_t index = document_->items_.size() + refusals.count - 1;
        refusals.first.push_back({index, error_at(FeedError::Kind::limit, *document_->text_, range_of(item).begin,
                                                  "the item belongs to another feed than the document's first")});
    }
}

std::optional<FeedError> XmlDocumentParser::collect_events() {
    const pugi::xml_node root = document_->tree_.document_element();
    document_->feed_ = root;
    if (options_.event_path.empty()) {
        for (const pugi::xml_node child : root.children()) {
            if (child.type() == pugi::node_element) document_->items_.push_back({child, {}});
        }
        const auto is_data = [](pugi::xml_attribute a) { return is_xpath_attribute(a.name()); };
        const auto is_written = [](pugi::xml_node n) { return is_text(n) && !text::trim(n.value()).empty(); };
        const bool has_text = std::any_of(root.begin(), root.end(), is_written);
        if (document_->items_.empty() && (has_text || root.find_attribute(is_data))) {
            document_->items_.push_back({root, {}});
        }
        return std::nullopt;
    }
    return select_events();
}

std::optional<FeedError> XmlDocumentParser::select_events() {
    const std::string name = "event path \"" + options_.event_path + "\"";
    const auto fault = [](std::string message) { return FeedError{FeedError::Kind::event_path, std::move(message)}; };
    const auto path = filter::compile_path(options_.event_path);
    if (!path) {
        return fault("invalid " + name + ": " + path.error().message + " (at character " +
                     std::to_string(path.error().column) + ")");
    }
    try {
        xpath::Meter meter;
        meter.begin(event_path_steps_max);
        xpath::MeteredMemory memory;
        memory.begin(event_path_bytes_max);
        std::vector<pugi::xml_node> elements;
        const xpath::DocumentIndex index = index_elements(*document_, elements, meter);
        xpath::KnownParts parts(**path, index, &memory);
        const xpath::Evaluator evaluator(**path, index, nullptr, parts, meter, &memory);
        for (const xpath::Node node : evaluator.nodes(xpath::document_node)) {
            if (!elements[node]) return fault("the " + name + " selects something that is not an element");
            document_->items_.push_back({elements[node], {}});
        }
    } catch (const xpath::OverBudget&) {
        return fault("the " + name + " takes too long to evaluate on this document");
    }
    return std::nullopt;
}

std::optional<FeedError> XmlDocumentParser::locate_items() {
    const FeedLimits& limits = options_.limits;
    std::size_t count = 0;
    for (Item& item : document_->items_) {
        const ElementRange& range = range_of(item.element);
        if (++count > limits.items_max) return too_many_items(*document_->text_, range.begin, limits);
        if (range.values > limits.item_values_max) return too_many_item_values(*document_->text_, range.begin, limits);
        item.source = std::string_view(*document_->text_).substr(range.begin, range.end - range.begin);
        if (options_.digests)
            item.content = normal_form_.digest(static_cast<std::size_t>(&range - ranges_.data()), item.source);
    }
    return std::nullopt;
}

// The tree is parsed in place, so the address of an element's name gives its position.
const ElementRange& XmlDocumentParser::range_of(pugi::xml_node element) const {
    const auto name = static_cast<std::size_t>(element.name() - document_->buffer_.data());
    return *std::lower_bound(ranges_.begin(), ranges_.end(), name,
                             [](const ElementRange& range, std::size_t at) { return range.name < at; });
}

}  // namespace

ParsedDocumentResult parse_xml_document(std::shared_ptr<const std::string> text, const DocumentOptions& options) {
    return XmlDocumentParser(std::move(text), options).parse();
}

}  // namespace sluice::feed
