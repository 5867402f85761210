#include "protocol/feed/repair/xml_tag_repair.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "protocol/feed/xml/attribute_text.hpp"

namespace sluice::feed {

namespace {

using Value = LooseAttribute::Value;

bool is_all_space(std::string_view text) { return text.find_first_not_of(" \t\r\n") == std::string_view::npos; }

bool is_declaration(const QName& name) { return name.full == "xmlns" || name.prefix == "xmlns"; }

bool is_dropped(const LooseAttribute& attribute) { return attribute.name.full.empty(); }

}  // namespace

void XmlTagRepair::drop(LooseAttribute& attribute, std::string_view reason) {
    repairs_.note(RepairKind::attribute, attribute.begin, reason);
    attribute.name = {};
}

// Keeps the first of the attributes with equal keys. Attributes with an empty key are not compared.
template <class Key>
void XmlTagRepair::drop_repeated(LooseTag& tag, const Key& key) {
    using Entry = std::pair<decltype(key(tag.attributes.front())), std::size_t>;
    std::vector<Entry> order;
    for (std::size_t i = 0; i < tag.attributes.size(); ++i) {
        if (is_dropped(tag.attributes[i])) continue;
        const auto k = key(tag.attributes[i]);
        if (k != decltype(k)()) order.emplace_back(k, i);
    }
    std::sort(order.begin(), order.end());
    for (std::size_t i = 1; i < order.size(); ++i) {
        if (order[i].first == order[i - 1].first)
            drop(tag.attributes[order[i].second], "an attribute that is there already");
    }
}

bool XmlTagRepair::enter(LooseTag& tag) {
    for (LooseAttribute& attribute : tag.attributes) {
        if (is_dropped(attribute)) drop(attribute, "something in a tag that is no attribute");
    }
    drop_repeated(tag, [](const LooseAttribute& a) { return a.name.full; });
    for (LooseAttribute& attribute : tag.attributes) {
        if (!is_dropped(attribute) && is_declaration(attribute.name) && !declare(attribute)) return false;
    }
    if (!tag.name.prefix.empty()) uri_of(tag.name.prefix, tag.begin + 1);
    drop_repeated(tag, [this](const LooseAttribute& a) {
        if (a.name.prefix.empty() || is_declaration(a.name)) return std::pair<std::string_view, std::string_view>();
        return std::pair(uri_of(a.name.prefix, a.begin), a.name.local);
    });
    return !is_full();
}

bool XmlTagRepair::declare(LooseAttribute& attribute) {
    const std::string_view prefix = attribute.name.prefix.empty() ? std::string_view() : attribute.name.local;
    const std::string_view uri = value_of(attribute);
    const bool is_wrong = prefix == "xmlns" || uri == xmlns_namespace || (prefix == "xml") != (uri == xml_namespace) ||
                          (!prefix.empty() && uri.empty());
    if (is_wrong) {
        drop(attribute, "a declaration of a prefix that is not allowed");
        return true;
    }
    if (scopes_.size() == NamespaceScopes::bindings_max) return false;
    scopes_.declare(prefix, uri, scopes_.size());
    return true;
}

std::string_view XmlTagRepair::value_of(const LooseAttribute& attribute) {
    const std::string_view written =
        cursor_.text().substr(attribute.value_begin, attribute.value_end - attribute.value_begin);
    if (written.find_first_of("&<\t\r\n\"") == std::string_view::npos) return written;
    return values_.emplace_back(attribute_text(written));
}

std::string_view XmlTagRepair::uri_of(std::string_view prefix, std::size_t offset) {
    if (const NamespaceBinding* binding = scopes_.find(prefix)) return binding->uri;
    const auto [at, is_new] = missing_.try_emplace(prefix);
    if (is_new) at->second = namespace_of_undeclared(prefix);
    if (find_customary_prefix(prefix)) return at->second;  // which the scanner accepts
    const bool is_first = repairs_.is_first(RepairKind::prefix);
    repairs_.note(RepairKind::prefix, offset, is_first ? "the prefix " + excerpt(prefix) + " is not declared" : "");
    return at->second;
}

std::string XmlTagRepair::missing_declarations() const {
    std::string declarations;
    for (const auto& [prefix, uri] : missing_)
        declarations.append(" xmlns:").append(prefix).append("=\"").append(uri).append("\"");
    return declarations;
}

void XmlTagRepair::write(const LooseTag& tag, bool room) {
    const std::string_view text = cursor_.text();
    std::size_t at = tag.name_end;
    bool is_noted = false;  // why the text from `at` on is not kept
    for (const LooseAttribute& attribute : tag.attributes) {
        if (is_dropped(attribute)) {
            is_noted = true;
            continue;
        }
        const std::string_view gap = text.substr(at, attribute.begin - at);
        if (gap.empty() || !is_all_space(gap)) {
            if (!is_noted) repairs_.note(RepairKind::attribute, at, "no white space before an attribute");
            edits_.replace(at, attribute.begin, " ");
        }
        write_attribute(attribute);
        at = attribute.end();
        is_noted = false;
    }
    const std::string_view close = tag.is_empty ? "/>" : ">";
    const std::string_view tail = text.substr(at, tag.end - at);
    if (!tail.ends_with(close) || !is_all_space(tail.substr(0, tail.size() - close.size()))) {
        if (!is_noted) repairs_.note(RepairKind::attribute, at, "a tag without a proper end");
        edits_.replace(at, tag.end, room ? " >" : close);
    } else if (room) {
        edits_.replace(at, tag.end, " >");
    }
    cursor_.move_to(tag.end);
}

void XmlTagRepair::write_attribute(const LooseAttribute& attribute) {
    switch (attribute.value) {
        case Value::none:
            repairs_.note(RepairKind::attribute, attribute.begin, "an attribute without a value");
            edits_.insert(attribute.name_end, "=\"\"");
            break;
        case Value::bare:
            repairs_.note(RepairKind::attribute, attribute.begin, "an attribute's value without quotes");
            edits_.replace(attribute.name_end, attribute.value_begin, "=\"");
            write_value(attribute, '"');
            edits_.insert(attribute.value_end, "\"");
            break;
        case Value::open: {
            repairs_.note(RepairKind::attribute, attribute.begin, "an attribute's value without a closing quote");
            const char quote = cursor_.text()[attribute.value_begin - 1];
            write_value(attribute, quote);
            edits_.insert(attribute.value_end, std::string_view(&quote, 1));
            break;
        }
        case Value::quoted:
            write_value(attribute, cursor_.text()[attribute.value_end]);
            break;
    }
}

void XmlTagRepair::write_value(const LooseAttribute& attribute, char quote) {
    const char stops[] = {'<', '&', quote};
    const std::string_view before_end = cursor_.text().substr(0, attribute.value_end);
    cursor_.move_to(attribute.value_begin);
    while (true) {
        const std::size_t at = before_end.find_first_of(std::string_view(stops, 3), cursor_.at());
        if (at == std::string_view::npos) return;
        cursor_.move_to(at);
        const char c = cursor_.peek();
        if (c == '&') {
            references_.reference();
            continue;
        }
        if (c == '<') repairs_.note(RepairKind::attribute, at, "'<' in an attribute's value");
        edits_.replace(at, at + 1, c == '<' ? "&lt;" : c == '"' ? "&quot;" : "&apos;");
        cursor_.move_to(at + 1);
    }
}

}  // namespace sluice::feed
