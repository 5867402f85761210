#include "protocol/feed/xml_scanner.hpp"

#include <algorithm>
#include <deque>
#include <utility>

#include "protocol/feed/html_entities.hpp"
#include "protocol/feed/rewriter.hpp"
#include "protocol/feed/text_position.hpp"
#include "protocol/feed/xml_cursor.hpp"
#include "protocol/feed/xml_declaration.hpp"
#include "protocol/feed/xml_doctype.hpp"
#include "protocol/feed/xml_names.hpp"
#include "protocol/text/name_characters.hpp"
#include "protocol/text/utf8.hpp"

namespace sluice {

namespace {

// Bounds what the references to a document's own entities may add to it.
constexpr std::size_t expansion_bytes_max = 1u << 20;

struct OpenElement {
    QName name;
    std::size_t range = 0;  // index in ScannedXml::elements
    std::size_t outer_bindings = 0;
    const KnownNamespace* known = nullptr;
};

struct Edit {
    std::size_t begin, end;
    std::string_view with;
};

struct Namespace {
    std::string_view uri;
    const KnownNamespace* known = nullptr;
};

class Scanner {
public:
    Scanner(const std::string& text, const FeedLimits& limits) : cursor_(text), rewriter_(text), limits_(limits) {}

    bool scan() { return prolog() && start_tag() && content() && epilog(); }
    ScannedXml take() {
        scanned_.text = rewriter_.finish();
        return std::move(scanned_);
    }
    FeedError error() const { return cursor_.error(); }

private:
    bool prolog();
    bool content();
    bool epilog();

    bool start_tag();
    bool attribute();
    bool attribute_value(XmlAttribute& attribute);
    bool end_tag();
    void close_element(std::size_t end);
    bool character_data();
    bool cdata();
    bool reference();

    bool declare_namespaces();
    bool declare(const XmlAttribute& attribute);
    bool resolve(const QName& name, std::size_t offset, Namespace& found);
    bool resolve_attributes();
    bool unique_attributes();
    std::string_view plain_value(const XmlAttribute& attribute);

    void rename(const QName& name, std::size_t begin, const KnownNamespace* known);
    void apply_edits();

    XmlCursor cursor_;
    Rewriter rewriter_;
    const FeedLimits& limits_;
    ScannedXml scanned_;
    XmlDoctype doctype_;
    NamespaceScopes scopes_;
    std::vector<OpenElement> open_;
    std::size_t values_ = 0;  // elements and attributes so far
    std::size_t expanded_bytes_ = 0;

    // Of the tag, or the piece of text, that is being read.
    std::vector<XmlAttribute> attributes_;
    std::vector<Edit> edits_;
    std::deque<std::string> kept_uris_;  // of declarations whose value is not plain
};

bool Scanner::prolog() {
    cursor_.take("\xEF\xBB\xBF");
    cursor_.skip_space();
    if (cursor_.looks_at("<?xml") && !is_name_char(utf8_at(cursor_.text(), cursor_.at() + 5).code)) {
        if (!read_xml_declaration(cursor_)) return false;
    }
    bool has_doctype = false;
    while (true) {
        cursor_.skip_space();
        if (cursor_.looks_at("<!--")) {
            if (!cursor_.comment()) return false;
        } else if (cursor_.looks_at("<?")) {
            if (!cursor_.processing_instruction()) return false;
        } else if (cursor_.looks_at("<!DOCTYPE") && !has_doctype) {
            has_doctype = true;
            if (!doctype_.read(cursor_)) return false;
        } else {
            break;
        }
    }
    if (cursor_.at_end()) return cursor_.fail(cursor_.at(), "the document is empty");
    rewriter_.replace(0, cursor_.at(), {});
    return cursor_.peek() == '<' || cursor_.expected("the root element");
}

bool Scanner::content() {
    while (!open_.empty()) {
        if (!character_data()) return false;
        if (cursor_.at_end()) {
            const OpenElement& element = open_.back();
            const std::size_t begin = scanned_.elements[element.range].begin;
            return cursor_.fail(cursor_.at(), "the document ends inside <" + std::string(element.name.full) +
                                                  ">, which begins in line " +
                                                  std::to_string(position_in(cursor_.text(), begin).line));
        }
        bool right = false;
        if (cursor_.looks_at("</")) {
            right = end_tag();
        } else if (cursor_.looks_at("<!--")) {
            right = cursor_.comment();
        } else if (cursor_.looks_at("<![CDATA[")) {
            right = cdata();
        } else if (cursor_.looks_at("<?")) {
            right = cursor_.processing_instruction();
        } else {
            right = start_tag();
        }
        if (!right) return false;
    }
    return true;
}

bool Scanner::epilog() {
    while (true) {
        cursor_.skip_space();
        if (cursor_.at_end()) return true;
        if (cursor_.looks_at("<!--")) {
            if (!cursor_.comment()) return false;
        } else if (cursor_.looks_at("<?")) {
            if (!cursor_.processing_instruction()) return false;
        } else {
            return cursor_.expected("nothing more after the root element");
        }
    }
}

bool Scanner::character_data() {
    while (cursor_.skip_to(xml_ends_text)) {
        if (cursor_.peek() == '<') return true;
        if (cursor_.peek() == '&') {
            if (!reference()) return false;
            apply_edits();
        } else if (cursor_.looks_at("]]>")) {
            return cursor_.fail(cursor_.at(), "\"]]>\" outside a CDATA section");
        } else {
            cursor_.take(']');
        }
    }
    return true;
}

bool Scanner::cdata() {
    const std::size_t end = cursor_.text().find("]]>", cursor_.at());
    if (end == std::string_view::npos) {
        return cursor_.fail(cursor_.at(), "the CDATA section that begins here does not end");
    }
    cursor_.move_to(end + 3);
    return true;
}

// At '&'. Notes an edit for an entity that pugixml doesn't know.
bool Scanner::reference() {
    if (cursor_.looks_at("&#")) return cursor_.character_reference().has_value();
    const std::size_t begin = cursor_.at();
    cursor_.take('&');
    const std::string_view name = cursor_.nc_name();
    if (name.empty() || !cursor_.take(';')) {
        return cursor_.fail(begin, "an '&' that begins no reference; as a character it is written &amp;");
    }
    for (const std::string_view own : {"lt", "gt", "amp", "quot", "apos"}) {
        if (name == own) return true;
    }
    std::string_view text;
    if (const XmlEntity* entity = doctype_.find(name)) {
        if (!entity->usable) {
            return cursor_.fail(begin, "the entity " + std::string(name) +
                                           " is not plain text in the document itself, and is not expanded");
        }
        text = entity->text;
        expanded_bytes_ += text.size();
        if (expanded_bytes_ > expansion_bytes_max) {
            return cursor_.fail(
                begin, "the document's entities expand to more than " + std::to_string(expansion_bytes_max) + " bytes",
                FeedError::Kind::limit);
        }
    } else {
        text = html_entity(name);
        if (text.empty()) return cursor_.fail(begin, "the entity " + std::string(name) + " is not declared");
    }
    edits_.push_back({begin, cursor_.at(), text});
    return true;
}

bool Scanner::start_tag() {
    const std::size_t begin = cursor_.at();
    if (open_.size() >= limits_.depth_max) {
        return cursor_.fail(
            begin, "elements nest deeper than limits.element_depth (" + std::to_string(limits_.depth_max) + ")",
            FeedError::Kind::limit);
    }
    cursor_.take('<');
    OpenElement element;
    if (!read_qname(cursor_, element.name, "the name of an element")) return false;
    attributes_.clear();
    bool is_empty = false;
    while (true) {
        const bool space = cursor_.skip_space();
        if (cursor_.take('>')) break;
        if ((is_empty = cursor_.take("/>"))) break;
        if (!space) return cursor_.expected("white space, '>' or \"/>\"");
        if (!attribute()) return false;
    }

    element.outer_bindings = scopes_.size();
    Namespace found;
    if (!declare_namespaces() || !resolve(element.name, begin + 1, found)) return false;
    element.known = found.known;
    if (!resolve_attributes() || !unique_attributes()) return false;

    element.range = scanned_.elements.size();
    scanned_.elements.push_back({rewriter_.position(begin + 1), begin, 0, values_, element.known});
    values_ += 1 + attributes_.size();
    if (values_ > limits_.values_max) {
        return cursor_.fail(
            begin, "the document has more values than limits.values (" + std::to_string(limits_.values_max) + ")",
            FeedError::Kind::limit);
    }
    rename(element.name, begin + 1, element.known);
    apply_edits();
    open_.push_back(element);
    if (is_empty) close_element(cursor_.at());
    return true;
}

bool Scanner::attribute() {
    XmlAttribute attribute;
    attribute.begin = cursor_.at();
    if (!read_qname(cursor_, attribute.name, "an attribute, '>' or \"/>\"")) return false;
    cursor_.skip_space();
    if (!cursor_.take('=')) return cursor_.expected("'=' after the name of an attribute");
    cursor_.skip_space();
    if (!attribute_value(attribute)) return false;
    attributes_.push_back(attribute);
    return true;
}

bool Scanner::attribute_value(XmlAttribute& attribute) {
    const char quote = cursor_.peek();
    if (quote != '"' && quote != '\'') return cursor_.expected("a quoted value");
    cursor_.take(quote);
    const std::size_t begin = cursor_.at();
    while (cursor_.skip_to(xml_ends_value)) {
        const char c = cursor_.peek();
        if (c == quote) {
            attribute.value = cursor_.since(begin);
            return cursor_.take(quote);
        }
        if (c == '<') return cursor_.fail(cursor_.at(), "'<' in an attribute's value; it is written &lt;");
        if (c == '&') {
            if (!reference()) return false;
        } else {
            cursor_.take(c);
        }
        attribute.is_plain = attribute.is_plain && (c == '"' || c == '\'');
    }
    return cursor_.fail(begin - 1, "the attribute's value that begins here does not end");
}

bool Scanner::end_tag() {
    const std::size_t begin = cursor_.at();
    const OpenElement& element = open_.back();
    cursor_.take("</");
    const std::size_t name_begin = cursor_.at();
    QName name;
    if (!read_qname(cursor_, name, "the name of an element")) return false;
    if (name.full != element.name.full) {
        const std::size_t line = position_in(cursor_.text(), scanned_.elements[element.range].begin).line;
        return cursor_.fail(begin, "</" + std::string(name.full) + "> where <" + std::string(element.name.full) +
                                       "> of line " + std::to_string(line) + " is still open");
    }
    cursor_.skip_space();
    if (!cursor_.take('>')) return cursor_.expected("'>' at the end of the tag");
    rename(name, name_begin, element.known);
    apply_edits();
    close_element(cursor_.at());
    return true;
}

void Scanner::close_element(std::size_t end) {
    const OpenElement& element = open_.back();
    ElementRange& range = scanned_.elements[element.range];
    range.end = end;
    range.values = values_ - range.values;
    scopes_.shrink(element.outer_bindings);
    open_.pop_back();
}

bool Scanner::declare_namespaces() {
    return std::all_of(attributes_.begin(), attributes_.end(),
                       [&](const XmlAttribute& a) { return !a.is_declaration() || declare(a); });
}

bool Scanner::declare(const XmlAttribute& attribute) {
    const std::string_view prefix = attribute.name.prefix.empty() ? std::string_view() : attribute.name.local;
    const std::string_view uri = plain_value(attribute);
    if (prefix == "xmlns" || uri == xmlns_namespace || (prefix == "xml") != (uri == xml_namespace)) {
        return cursor_.fail(attribute.begin, "a declaration that the prefixes xml and xmlns do not allow");
    }
    if (!prefix.empty() && uri.empty()) return cursor_.fail(attribute.begin, "a prefix declared as no namespace");
    if (scopes_.size() == NamespaceScopes::bindings_max) {
        return cursor_.fail(attribute.begin,
                            "more than " + std::to_string(NamespaceScopes::bindings_max) + " namespaces at one place",
                            FeedError::Kind::limit);
    }
    scopes_.declare(prefix, uri);
    const KnownNamespace* known = find_known_namespace(uri);
    if (known && !known->attribute().empty() && known->attribute() != attribute.name.full) {
        edits_.push_back({attribute.begin, attribute.begin + attribute.name.full.size(), known->attribute()});
    }
    return true;
}

// The value as a reader of the document sees it, for the rare one that is not plain.
std::string_view Scanner::plain_value(const XmlAttribute& attribute) {
    if (attribute.is_plain) return attribute.value;
    const char quote = attribute.value.find('"') == std::string_view::npos ? '"' : '\'';
    const std::string element = std::string("<x y=") + quote + std::string(attribute.value) + quote + "/>";
    pugi::xml_document one;
    one.load_buffer(element.data(), element.size(), feed_parse_flags, pugi::encoding_utf8);
    return kept_uris_.emplace_back(one.document_element().attribute("y").value());
}

bool Scanner::resolve(const QName& name, std::size_t offset, Namespace& found) {
    if (const NamespaceBinding* binding = scopes_.find(name.prefix)) {
        found = {binding->uri, binding->known};
        return true;
    }
    if (name.prefix.empty()) return true;
    const KnownNamespace* known = find_customary_prefix(name.prefix);
    if (!known) return cursor_.fail(offset, "the prefix " + std::string(name.prefix) + " is not declared");
    found = {known->uri, known};
    return true;
}

bool Scanner::resolve_attributes() {
    for (XmlAttribute& attribute : attributes_) {
        if (attribute.name.prefix.empty() || attribute.is_declaration()) continue;
        Namespace found;
        if (!resolve(attribute.name, attribute.begin, found)) return false;
        attribute.uri = found.uri;
        // An attribute without prefix has no namespace, so it keeps its prefix where its vocabulary has none.
        if (found.known && !found.known->declaration.empty()) rename(attribute.name, attribute.begin, found.known);
    }
    return true;
}

bool Scanner::unique_attributes() {
    const XmlAttribute* twice = find_repeated(attributes_);
    return !twice || cursor_.fail(twice->begin, "the attribute " + std::string(twice->name.full) + " is there twice");
}

void Scanner::rename(const QName& name, std::size_t begin, const KnownNamespace* known) {
    if (!known) return;
    const std::size_t prefix_size = name.full.size() - name.local.size();
    if (name.full.substr(0, prefix_size) != known->prefix()) {
        edits_.push_back({begin, begin + prefix_size, known->prefix()});
    }
}

void Scanner::apply_edits() {
    if (edits_.size() > 1) {
        std::sort(edits_.begin(), edits_.end(), [](const Edit& a, const Edit& b) { return a.begin < b.begin; });
    }
    for (const Edit& edit : edits_) rewriter_.replace(edit.begin, edit.end, edit.with);
    edits_.clear();
}

}  // namespace

boost::system::result<ScannedXml, FeedError> scan_xml(const std::string& text, const FeedLimits& limits) {
    Scanner scanner(text, limits);
    if (!scanner.scan()) return scanner.error();
    return scanner.take();
}

}  // namespace sluice
