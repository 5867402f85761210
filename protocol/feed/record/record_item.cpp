#include "protocol/feed/record/record_item.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "protocol/feed/data/json_text.hpp"
#include "protocol/feed/item/links.hpp"
#include "protocol/feed/xml/xml_ancestors.hpp"

namespace sluice::feed {

namespace {

struct Surroundings {
    std::string before, behind;
};

// A feed without a home page resolves its items' links against its own address.
std::string json_feed_before(const Document& document) {
    const TreeNode url = document.feed().child("feed_url");
    std::string text = "{";
    if (url && document.feed_fields().base != document.feed_fields().link) {
        text += "\"feed_url\":";
        append_json_string(text, url.child_value());
        text += ',';
    }
    return text + "\"items\":[";
}

// What makes a document of an item that is not XML.
Surroundings surroundings_of(const Document& document) {
    switch (document.syntax()) {
        case Syntax::json:
            if (document.format() == FeedFormat::json) return {json_feed_before(document), "]}"};
            return {"[", "]"};
        case Syntax::cloud_events:
            return {"[", "]"};
        case Syntax::csv:
            return {std::string(document.head()), ""};
        default:
            return {};
    }
}

// Builds the texts until the limit is reached.
class ItemTexts {
public:
    ItemTexts(const Document& document, std::span<const std::size_t> wanted, std::size_t bytes_max)
        : wanted_(wanted), bytes_left_(bytes_max) {
        for (const Item& item : document.items()) sources_.push_back(item.source);
        if (document.syntax() != Syntax::xml)
            add_data(surroundings_of(document));
        else
            visit_ancestors(*document.text(), sources_, wanted, [&](const XmlSurroundings& around, std::size_t i) {
                add_xml(around, sources_[wanted_[i]]);
            });
    }

    bool complete() const { return texts_.size() == wanted_.size(); }
    std::string take(std::size_t i) { return std::move(texts_[i]); }
    SourceRange item(std::size_t i) const { return places_[i]; }
    std::size_t depth(std::size_t i) const { return depths_[i]; }  // of XML: the number of the element's ancestors

private:
    bool fits(std::size_t bytes) {
        if (is_over_ || bytes > bytes_left_) return is_over_ = true, false;
        bytes_left_ -= bytes;
        return true;
    }

    void add_source(std::string& text, std::string_view source) {
        places_.push_back({static_cast<std::uint32_t>(text.size()), static_cast<std::uint32_t>(source.size())});
        text += source;
    }

    void add_data(const Surroundings& around) {
        for (const std::size_t item : wanted_) {
            if (!fits(around.before.size() + sources_[item].size() + around.behind.size())) return;
            std::string& text = texts_.emplace_back(around.before);
            add_source(text, sources_[item]);
            text += around.behind;
            depths_.push_back(0);
        }
    }

    void add_xml(const XmlSurroundings& around, std::string_view source) {
        constexpr std::size_t end_tag_bytes = 3;
        std::size_t bytes = around.doctype.size() + source.size();
        for (const XmlAncestor& a : around.ancestors) bytes += a.tag.size() + a.name.size() + end_tag_bytes;
        if (!fits(bytes)) return;
        std::string& text = texts_.emplace_back();
        text.reserve(bytes);
        text += around.doctype;
        for (const XmlAncestor& ancestor : around.ancestors) text += ancestor.tag;
        add_source(text, source);
        for (auto a = around.ancestors.rbegin(); a != around.ancestors.rend(); ++a)
            text.append("</").append(a->name).append(">");
        depths_.push_back(around.ancestors.size());
    }

    std::vector<std::string_view> sources_;  // of all items
    std::span<const std::size_t> wanted_;
    std::vector<std::string> texts_;  // of the wanted items
    std::vector<SourceRange> places_;
    std::vector<std::size_t> depths_;
    std::size_t bytes_left_;
    bool is_over_ = false;
};

// An <rss> that is not the root is recognised by its <channel>.
bool needs_channel(const Document& document, const Item& item) {
    const TreeNode parent = item.element.parent();
    return document.format() == FeedFormat::rss && parent.name() == "rss" && parent != document.tree().root();
}

// Its link is relative to an address that neither the record's fields nor its text have.
bool needs_self_link(const Document& document, const Item& item) {
    const FeedFields& fields = document.feed_fields();
    if (document.syntax() != Syntax::xml || fields.base.empty() || fields.base == fields.link) return false;
    TextBlocks texts;
    const auto link = find_item_link(document.format(), FieldParent(item.element, texts));
    return link && resolved_address(*link, fields.base) != resolved_address(*link, fields.link.value_or(""));
}

// Neither the element nor any of its ancestors has siblings, so its depth identifies it.
std::string path_to(std::size_t depth) {
    std::string path;
    for (std::size_t i = 0; i <= depth; ++i) path += "/*";
    return path;
}

}  // namespace

std::optional<std::vector<ItemRecord>> record_items(const Document& document, const DocumentRecord& whole,
                                                    std::span<const std::size_t> items, std::size_t bytes_max) {
    const auto is_unfit = [&](std::size_t i) {
        const Item& item = document.items()[i];
        return needs_channel(document, item) || needs_self_link(document, item);
    };
    if (std::any_of(items.begin(), items.end(), is_unfit)) return std::nullopt;
    ItemTexts texts(document, items, bytes_max);
    if (!texts.complete()) return std::nullopt;

    std::vector<ItemRecord> records(items.size(), ItemRecord{whole, {}});
    for (std::size_t i = 0; i < records.size(); ++i) {
        records[i].item = texts.item(i);
        DocumentRecord& record = records[i].document;
        record.text = std::make_shared<const std::string>(texts.take(i));
        record.context = RecordContext::item;
        record.feed_fields = document.feed_fields();
        if (document.format() == FeedFormat::xml && !whole.event_path.empty())
            record.event_path = path_to(texts.depth(i));
    }
    return records;
}

}  // namespace sluice::feed
