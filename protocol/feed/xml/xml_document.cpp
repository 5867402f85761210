#include <algorithm>
#include <optional>
#include <utility>

#include "protocol/feed/model/limit_errors.hpp"
#include "protocol/feed/model/node_text.hpp"
#include "protocol/feed/model/parsed_document.hpp"
#include "protocol/feed/model/pugi_tree.hpp"
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
    bool is_feed(TreeNode element, bool is_root) const;
    bool is_feed_in_other_letters(TreeNode root) const;
    bool is_feed_without_entries(TreeNode root) const;
    void collect_feed(TreeNode element);
    void refuse_feed(TreeNode element);
    std::optional<FeedError> collect_events();
    std::optional<FeedError> select_events();
    std::optional<FeedError> locate_items();

    void rename(TreeNode feed, std::string_view prefix);
    const ElementRange& range_of(TreeNode element) const { return ranges_[element.element_number()]; }
    bool is_in(TreeNode element, Vocabulary vocabulary) const {
        const KnownNamespace* known = range_of(element).known;
        return known && known->vocabulary == vocabulary;
    }

    std::shared_ptr<ParsedDocument> document_;
    const DocumentOptions& options_;
    std::vector<ElementRange> ranges_;
    XmlNormalForm normal_form_;
    bool has_capitals_ = false;
};

template <class Visit>
void for_each_item(TreeNode feed, Visit visit) {
    const auto visit_children = [&](TreeNode parent, std::string_view name) {
        for (const TreeNode child : parent.children(name)) visit(child);
    };
    if (feed.name() == "feed") return visit_children(feed, "entry");
    for (const TreeNode child : feed.children()) {
        const std::string_view name = child.name();
        if (name == "channel" || name == "items") visit_children(child, "item");
        if (name == "item") visit(child);
    }
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
    document_->tree_ = std::move(scanned->tree);
    document_->rewritten_ = std::move(scanned->rewritten);
    document_->xml_begin_ = scanned->unchanged_from;
    document_->undeclared_names_ = std::move(scanned->undeclared);
    ranges_ = std::move(scanned->elements);
    document_->context_ = std::move(scanned->context);
    has_capitals_ = scanned->has_capitals;
    normal_form_ = std::move(scanned->normal_form);
    return std::nullopt;
}

// Recognises a feed by the root, or by the first element inside it that is a feed: a feed wrapped in another document.
// Further feeds in it are refused, since a document has one title, link and format.
bool XmlDocumentParser::find_feed() {
    const TreeNode root = document_->tree_.root();
    const std::string_view prefix = root.name().substr(0, prefix_size(root.name()));
    const bool has_prefix = !prefix.empty() && prefix != "rdf:";
    if ((has_prefix || (has_capitals_ && has_other_letters(root))) && is_feed_in_other_letters(root))
        rename(root, has_prefix ? prefix : std::string_view());
    if (is_feed(root, true)) return collect_feed(root), true;
    if (!options_.event_path.empty()) return false;
    for (TreeNode node = root; node;) {
        if (!node.is_element() || !is_feed(node, false)) {
            node = node.next_below(root);
            continue;
        }
        document_->feed_ ? refuse_feed(node) : collect_feed(node);
        node = node.next_behind(root);
    }
    return static_cast<bool>(document_->feed_);
}

bool XmlDocumentParser::is_feed(TreeNode element, bool is_root) const {
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
bool XmlDocumentParser::is_feed_in_other_letters(TreeNode root) const {
    const auto has_child = [&](std::string_view name) {
        return std::ranges::any_of(root.children(),
                                   [&](TreeNode n) { return is_same_name(local_part(n.name()), name); });
    };
    const std::string_view local = local_part(root.name()), kind = feed_root_kind(local);
    if (kind == "rss") return true;
    if (kind == "feed") return has_child("entry") || is_in(root, Vocabulary::atom) || is_feed_without_entries(root);
    if (kind == "rdf") return has_child("item") || has_child("channel");
    if (is_same_name(local, "channel")) return is_in(root, Vocabulary::rss) && has_child("items");
    return options_.event_path.empty() && (is_same_name(local, "item") || is_same_name(local, "entry"));
}

// <feed> in no namespace, with a title and the like, but nothing that could be an event.
bool XmlDocumentParser::is_feed_without_entries(TreeNode root) const {
    const auto may_be_event = [](TreeNode n) { return n.is_element() && !is_feed_detail(local_part(n.name())); };
    return options_.event_path.empty() && std::ranges::none_of(root.children(), may_be_event);
}

void XmlDocumentParser::collect_feed(TreeNode element) {
    const std::string_view name = element.name();
    document_->feed_ = element;
    if (name == "item" || name == "entry") {
        document_->format_ = name == "item" ? FeedFormat::rss : FeedFormat::atom;
        document_->feed_ = {};
        document_->items_.push_back({element, {}});
        return;
    }
    document_->format_ = name == "feed" ? FeedFormat::atom : name == "rss" ? FeedFormat::rss : FeedFormat::rdf;
    const TreeNode channel = element.child("channel");
    if (channel && document_->format_ != FeedFormat::atom) document_->feed_ = channel;
    for_each_item(element, [&](TreeNode item) { document_->items_.push_back({item, {}}); });
}

void XmlDocumentParser::refuse_feed(TreeNode element) {
    Refusals& refusals = document_->refusals_;
    for_each_item(element, [&](TreeNode item) {
        if (++refusals.count > refusals_max) return;
        const std::size_t index = document_->items_.size() + refusals.count - 1;
        refusals.first.push_back({index, error_at(FeedError::Kind::limit, *document_->text_, range_of(item).begin,
                                                  "the item belongs to another feed than the document's first")});
    });
}

std::optional<FeedError> XmlDocumentParser::collect_events() {
    const TreeNode root = document_->tree_.root();
    document_->feed_ = root;
    if (options_.event_path.empty()) {
        for (const TreeNode child : root.children()) {
            if (child.is_element()) document_->items_.push_back({child, {}});
        }
        const auto is_data = [](const TreeAttribute& a) { return is_xpath_attribute(a.name()); };
        const auto is_written = [](TreeNode n) { return n.is_text() && !text::trim(n.value()).empty(); };
        const bool has_text = std::ranges::any_of(root.children(), is_written);
        if (document_->items_.empty() && (has_text || std::ranges::any_of(root.attributes(), is_data))) {
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
        std::vector<TreeNode> elements;
        const PugiTree tree(*document_);
        const xpath::DocumentIndex index = index_elements(*document_, tree, elements, meter);
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
        if (options_.digests) item.content = normal_form_.digest(item.element.element_number(), item.source);
    }
    return std::nullopt;
}

// The XML that has been scanned has other names then.
void XmlDocumentParser::rename(TreeNode feed, std::string_view prefix) {
    give_customary_names(document_->tree_, feed, prefix);
    document_->rewritten_.clear();
    document_->xml_begin_ = ParsedDocument::no_xml;
}

}  // namespace

ParsedDocumentResult parse_xml_document(std::shared_ptr<const std::string> text, const DocumentOptions& options) {
    return XmlDocumentParser(std::move(text), options).parse();
}

}  // namespace sluice::feed
