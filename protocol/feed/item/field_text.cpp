#include "protocol/feed/item/field_text.hpp"

#include <string>

#include "protocol/feed/html/html_text.hpp"
#include "protocol/feed/item/element_html.hpp"
#include "protocol/feed/model/node_text.hpp"
#include "protocol/text/ascii.hpp"
#include "protocol/text/base64.hpp"
#include "protocol/text/utf8.hpp"

namespace sluice::feed {

FieldText non_empty(std::string_view text) {
    text = text::trim(text);
    return text.empty() ? FieldText() : FieldText(text);
}

namespace {

FieldText kept(std::string_view text, TextBlocks& texts) {
    text = text::trim(text);
    return text.empty() ? FieldText() : FieldText(texts.keep(text));
}

std::string attribute_word(TreeNode element, std::string_view name) {
    return text::ascii_lower(text::trim(element.attribute(name).value()));
}

bool is_mail_address(std::string_view text) {
    const std::size_t at = text.find('@');
    return at != std::string_view::npos && at > 0 && at + 1 < text.size() &&
           text::find_if(text, text::is_ascii_space) == std::string_view::npos;
}

std::string_view without_quotation_marks(std::string_view name) {
    const bool is_quoted = name.size() > 2 && name.front() == '"' && name.find('"', 1) == name.size() - 1;
    return is_quoted ? text::trim(name.substr(1, name.size() - 2)) : name;
}

// The name in "a@b.example (Ada Byron)" (RSS), "Ada Byron (a@b.example)" or "Ada Byron <a@b.example>"; else the whole
// text.
FieldText name_in_mailbox(std::string_view all) {
    if (all.back() != ')' && all.back() != '>') return all;
    const std::size_t bracket = text::find_if(all, [](char c) { return c == '(' || c == '<'; });
    if (bracket == std::string_view::npos || all.back() != (all[bracket] == '(' ? ')' : '>')) return all;
    const std::string_view before = text::trim(all.substr(0, bracket));
    const std::string_view inside = text::trim(all.substr(bracket + 1, all.size() - bracket - 2));
    if (is_mail_address(inside) && !before.empty()) return non_empty(without_quotation_marks(before));
    return is_mail_address(before) && all[bracket] == '(' && !inside.empty() ? non_empty(inside) : all;
}

}  // namespace

FieldChildren::FieldChildren(TreeNode element) {
    for (TreeNode child = element.first_child(); child; child = child.next_sibling()) {
        if (!child.is_element()) continue;
        const std::string_view name = child.name();
        const std::size_t slot = name_slot(name);
        const std::uint64_t bit = std::uint64_t{1} << slot;
        if ((some_ & bit) == 0) {
            places_[slot] = static_cast<std::uint8_t>(first_.size());
            first_.push_back({child, name});
        }
        several_ |= some_ & bit;
        some_ |= bit;
    }
}

TreeNode FieldParent::search(const FieldPath& path) const {
    if (!children_ || !path.is_name()) return element_.at_path(path.text);
    return next(children_->first(path).node, path);
}

namespace {

FieldText joined_text_of(TreeNode element, TextBlocks& texts) {
    std::string text;
    for (TreeNode node = element.first_child(); node; node = node.next_below(element)) {
        if (node.is_text()) text += node.value();
    }
    return kept(text, texts);
}

}  // namespace

FieldText text_of(TreeNode element, TextBlocks& texts) {
    if (const auto only = element.only_text()) return non_empty(*only);
    return joined_text_of(element, texts);
}

FieldText decoded_text_of(TreeNode element, TextBlocks& texts) {
    const FieldText text = text_of(element, texts);
    if (!text || attribute_word(element, "mode") != "base64") return text;
    const std::optional<std::string> bytes = text::decode_base64(*text);
    return bytes && !text::find_bad_text(*bytes) ? kept(*bytes, texts) : text;
}

FieldText visible_text_of(TreeNode element, TextBlocks& texts) {
    if (const auto only = element.only_text()) return non_empty(*only);
    return has_markup(element) ? kept(html_text(inner_html(element)), texts) : text_of(element, texts);
}

FieldText visible_atom_text_of(TreeNode element, TextBlocks& texts) {
    if (has_markup(element)) return visible_text_of(element, texts);
    const FieldText text = decoded_text_of(element, texts);
    if (!text || text->find_first_of("<&") == std::string_view::npos) return text;
    const std::string type = attribute_word(element, "type");
    const bool is_html = type == "html" || (type == "text/html" && !attribute_word(element, "mode").empty() &&
                                            attribute_word(element, "mode") != "xml");
    return is_html ? kept(html_text(*text), texts) : text;
}

FieldText content_of(TreeNode element, TextBlocks& texts) {
    if (const auto only = element.only_text()) return non_empty(*only);
    return has_markup(element) ? kept(inner_html(element), texts) : text_of(element, texts);
}

FieldText atom_content_of(TreeNode element, TextBlocks& texts) {
    return has_markup(element) ? content_of(element, texts) : decoded_text_of(element, texts);
}

FieldText person_of(TreeNode element, TextBlocks& texts) {
    if (const auto only = element.only_text()) {
        const FieldText text = non_empty(*only);
        return text ? name_in_mailbox(*text) : text;
    }
    for (const char* part : {"name", "atom:name", "email", "atom:email"}) {
        if (FieldText text = text_of(element.child(part), texts)) return text;
    }
    for (const char* part : {"url", "uri", "avatar", "atom:uri", "atom:url"}) {
        if (element.child(part)) return {};
    }
    const FieldText text = text_of(element, texts);
    return text ? name_in_mailbox(*text) : text;
}

FieldText category_of(TreeNode element, TextBlocks& texts) {
    const bool has_attributes = !element.attributes().empty();
    for (const char* name : {"term", "text"}) {
        if (!has_attributes) break;
        if (FieldText text = non_empty(element.attribute(name).value())) return text;
    }
    if (FieldText text = text_of(element, texts)) return text;
    return non_empty(element.attribute("label").value());
}

FieldText first_text(const FieldParent& parent, const FieldPaths& paths, ReadField read) {
    FieldText first;
    visit_texts(parent, paths, read, [&](std::string_view text) { return first = text, true; });
    return first;
}

}  // namespace sluice::feed
