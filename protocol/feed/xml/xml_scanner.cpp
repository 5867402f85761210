#include "protocol/feed/xml/xml_scanner.hpp"

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <optional>
#include <utility>

#include "protocol/bytes/equal.hpp"
#include "protocol/feed/model/make_room.hpp"
#include "protocol/feed/model/repairs.hpp"
#include "protocol/feed/model/text_position.hpp"
#include "protocol/feed/xml/rewriter.hpp"
#include "protocol/feed/xml/xml_cursor.hpp"
#include "protocol/feed/xml/xml_declaration.hpp"
#include "protocol/feed/xml/xml_doctype.hpp"
#include "protocol/feed/xml/xml_names.hpp"
#include "protocol/feed/xml/xml_namespaces.hpp"
#include "protocol/feed/xml/xml_references.hpp"
#include "protocol/feed/xml/xml_tag.hpp"
#include "protocol/text/name_characters.hpp"
#include "protocol/text/utf8.hpp"

namespace sluice::feed {

namespace {

struct OpenElement {
    QName name;
    std::string_view new_prefix;  // with its colon, if not `is_as_written`
    bool is_as_written = true;    // in the tree
    std::size_t range = 0;        // index in ScannedXml::elements
    ElementScope scope;
};

// What is between the marks that the text begins and ends with.
std::string_view between(std::string_view text, std::string_view first, std::string_view last) {
    return text.substr(first.size(), text.size() - first.size() - last.size());
}

class Scanner {
    static constexpr std::size_t usual_attributes = 16, usual_text = 1'000;

public:
    Scanner(const std::string& text, const FeedLimits& limits, const IgnoredParts* ignored)
        : scanned_(Tree(ScannedXml::usual_nodes(text.size()), usual_attributes)),
          cursor_(text),
          rewriter_(text),
          references_(cursor_, rewriter_, scanned_.context.entities),
          namespaces_(cursor_, rewriter_, scanned_.context.entities, scanned_.tree),
          limits_(limits) {
        scanned_.elements.reserve(XmlNormalForm::usual_elements);
        if (ignored) normal_.emplace(*ignored, text.size());
    }

    bool scan() { return prolog() && start_tag() && content() && epilog(); }
    ScannedXml take() {
        if (const auto begin = rewriter_.unchanged_from())
            scanned_.unchanged_from = *begin;
        else
            scanned_.rewritten = rewriter_.finish();
        scanned_.tree.finish();
        scanned_.context.namespaces = namespaces_.take_declarations();
        scanned_.undeclared = namespaces_.take_undeclared();
        scanned_.undeclared.shrink_to_fit();  // it is kept with the document
        if (normal_) scanned_.normal_form = normal_->take();
        if (scanned_.elements.size() >= ScannedXml::few_elements) {
            scanned_.elements.shrink_to_fit();
            scanned_.normal_form.elements.shrink_to_fit();
        }
        return std::move(scanned_);
    }
    FeedError error() const { return cursor_.error(); }

private:
    bool prolog();
    bool content();
    bool markup();
    bool epilog();

    bool start_tag();
    ElementName* known_name();
    bool plain_content(ElementName& name, std::size_t begin, std::size_t said_begin);
    bool end_tag();
    bool wrong_end_tag(std::size_t begin);
    void close_element(std::size_t end);
    bool character_data();
    bool cdata();
    bool comment_or_instruction();
    // Counts nodes and attributes of the tree.
    bool count_values(std::size_t begin, std::size_t more) {
        values_ += more;
        return values_ <= limits_.values_max || too_many_values(begin);
    }
    bool too_many_values(std::size_t begin);
    void note_capital(const ElementName& name) {
        const char first = name.written.local.front();
        if (first >= 'A' && first <= 'Z' && name.tree_prefix.empty()) scanned_.has_capitals = true;
    }
    void add_element(const ElementName& name);
    void add_attributes();
    std::string_view said(const XmlAttribute& attribute);
    std::string_view with_line_feeds(std::string_view written);

    ScannedXml scanned_;
    XmlCursor cursor_;
    Rewriter rewriter_;
    XmlReferences references_;
    XmlNamespaces namespaces_;
    const FeedLimits& limits_;
    boost::container::small_vector<OpenElement, XmlNormalForm::usual_depth> open_;
    std::size_t values_ = 0;  // elements, attributes, comments, CDATA sections and instructions so far
    XmlTag tag_;              // being read
    std::optional<XmlNormalizer> normal_;
    std::string room_;
};

bool Scanner::prolog() {
    cursor_.take("\xEF\xBB\xBF");
    cursor_.skip_space();
    const std::size_t first = cursor_.at();
    if (cursor_.looks_at("<?xml") && !text::is_name_char(text::utf8_at(cursor_.text(), cursor_.at() + 5).code)) {
        if (!read_xml_declaration(cursor_)) return false;
    }
    bool has_doctype = false;
    std::size_t left_out = 0;  // the next white space or DOCTYPE to remove begins here
    while (true) {
        cursor_.skip_space();
        const std::size_t begin = cursor_.at();
        if (cursor_.looks_at("<!--") || cursor_.looks_at("<?")) {
            if (!comment_or_instruction()) return false;
            rewriter_.replace(left_out, begin, {});
            left_out = cursor_.at();
        } else if (cursor_.looks_at("<!DOCTYPE") && !has_doctype) {
            has_doctype = true;
            if (!read_doctype(cursor_, scanned_.context.entities)) return false;
        } else {
            break;
        }
    }
    if (cursor_.at_end()) return cursor_.fail(cursor_.at(), "the document is empty");
    rewriter_.replace(left_out, cursor_.at(), {});
    if (cursor_.peek() == '<') return true;
    if (cursor_.at() != first) return cursor_.expected("the root element");
    return cursor_.expected("XML or JSON", "; for CSV send Content-Type: text/csv");
}

bool Scanner::content() {
    while (!open_.empty()) {
        if (!character_data()) return false;
        if (cursor_.at_end()) {
            const OpenElement& element = open_.back();
            const std::size_t begin = scanned_.elements[element.range].begin;
            return cursor_.fail(cursor_.at(), "the document ends inside <" + excerpt(element.name.full) +
                                                  ">, which begins in line " +
                                                  std::to_string(position_in(cursor_.text(), begin).line));
        }
        if (!markup()) return false;
    }
    return true;
}

// At '<'.
bool Scanner::markup() {
    switch (cursor_.peek_next()) {
        case '/':
            return end_tag();
        case '?':
            return comment_or_instruction();
        case '!':
            if (cursor_.looks_at("<!--")) return comment_or_instruction();
            if (cursor_.looks_at("<![CDATA[")) return cdata();
            return start_tag();  // which no name begins
        default:
            return start_tag();
    }
}

bool Scanner::epilog() {
    while (true) {
        cursor_.skip_space();
        if (cursor_.at_end()) return true;
        const bool is_known = cursor_.looks_at("<!--") || cursor_.looks_at("<?");
        if (!is_known) return cursor_.expected("nothing more after the root element");
        if (!comment_or_instruction()) return false;
    }
}

bool Scanner::character_data() {
    if (cursor_.peek() == '<') return true;
    const std::size_t begin = cursor_.at();
    bool is_plain = true;  // else `room_` has what is said up to
    std::size_t copied = begin;
    const auto copy_up_to = [&](std::size_t end) {
        if (std::exchange(is_plain, false)) {
            room_.clear();
            room_.reserve(usual_text);
        }
        room_.append(cursor_.text(), copied, end - copied);
    };
    while (cursor_.skip_to<bytes::XmlTextEnd>() && cursor_.peek() != '<') {
        const std::size_t at = cursor_.at();
        if (cursor_.peek() == '&') {
            if (!references_.reference()) return false;
            rewriter_.apply();
            copy_up_to(at);
            references_.append_one(room_, cursor_.since(at));
            copied = cursor_.at();
        } else if (cursor_.take('\r')) {
            copy_up_to(at);
            if (cursor_.peek() != '\n') room_ += '\n';
            copied = cursor_.at();
        } else if (cursor_.looks_at("]]>")) {
            return cursor_.fail(at, "\"]]>\" outside a CDATA section");
        } else {
            cursor_.take(']');
        }
    }
    if (cursor_.at() == begin) return true;  // at the end
    std::string_view said = cursor_.since(begin);
    if (!is_plain) {
        copy_up_to(cursor_.at());
        said = scanned_.tree.keep(room_);
    }
    scanned_.tree.leaf(NodeType::text, said);
    if (normal_) normal_->text(said);
    return true;
}

// A line feed for each line end.
std::string_view Scanner::with_line_feeds(std::string_view written) {
    if (written.find('\r') == std::string_view::npos) return written;
    room_.clear();
    append_with_line_feeds(room_, written);
    return scanned_.tree.keep(room_);
}

bool Scanner::comment_or_instruction() {
    const std::size_t begin = cursor_.at();
    if (!count_values(begin, 1)) return false;
    if (!cursor_.looks_at("<?")) {
        if (!cursor_.comment()) return false;
        scanned_.tree.leaf(NodeType::comment, with_line_feeds(between(cursor_.since(begin), "<!--", "-->")));
        return true;
    }
    if (!cursor_.processing_instruction()) return false;
    const std::string_view said = with_line_feeds(between(cursor_.since(begin), "<?", "?>"));
    scanned_.tree.leaf(NodeType::instruction, said);
    if (normal_) normal_->instruction(said);
    return true;
}

bool Scanner::too_many_values(std::size_t begin) {
    return cursor_.fail(begin,
                        "the document has more values than limits.values (" + std::to_string(limits_.values_max) + ")",
                        FeedError::Kind::limit);
}

bool Scanner::cdata() {
    const std::size_t begin = cursor_.at();
    if (!count_values(begin, 1)) return false;
    const std::size_t end = cursor_.text().find("]]>", begin);
    if (end == std::string_view::npos) {
        return cursor_.fail(begin, "the CDATA section that begins here does not end");
    }
    cursor_.move_to(end + 3);
    const std::string_view said = with_line_feeds(between(cursor_.since(begin), "<![CDATA[", "]]>"));
    scanned_.tree.leaf(NodeType::cdata, said);
    if (normal_) normal_->text(said);
    return true;
}

// At the '<' of a tag: its name, if it has no attributes and the name was there before; else null. Nothing is read.
ElementName* Scanner::known_name() {
    const std::string_view written = cursor_.name_before('>', cursor_.at() + 1);
    return written.empty() ? nullptr : namespaces_.find_plain(written);
}

// Reads the element that begins at `begin` from behind its start tag on, if plain text and the end tag come next.
bool Scanner::plain_content(ElementName& name, std::size_t begin, std::size_t said_begin) {
    const std::string_view text = cursor_.text(), written = name.written.full;
    const std::size_t said_end = bytes::find_in<bytes::XmlTextEnd>(text, said_begin);
    const std::size_t name_begin = said_end + 2, name_end = name_begin + written.size();
    if (name_end >= text.size() || text[said_end] != '<' || text[said_end + 1] != '/' || text[name_end] != '>' ||
        !bytes::are_equal(text.substr(name_begin, written.size()), written) || values_ >= limits_.values_max)
        return false;
    cursor_.move_to(name_end + 1);
    const std::string_view said = text.substr(said_begin, said_end - said_begin);
    ++values_;
    make_room(scanned_.elements);
    scanned_.elements.push_back(
        {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(cursor_.at()), 1, name.known});
    scanned_.tree.element(name.tree_name, said);
    if (normal_) normal_->element(name, said);
    return true;
}

bool Scanner::start_tag() {
    if (open_.size() >= limits_.depth_max) {
        return cursor_.fail(
            cursor_.at(), "elements nest deeper than limits.element_depth (" + std::to_string(limits_.depth_max) + ")",
            FeedError::Kind::limit);
    }
    ElementName* const known = known_name();
    if (known && plain_content(*known, cursor_.at(), cursor_.at() + known->written.full.size() + 2)) return true;
    if (!read_start_tag(cursor_, references_, tag_)) return false;
    ElementScope scope;
    ElementName* const name = namespaces_.enter(tag_, scanned_.elements.size(), scope);
    if (!name) return false;
    note_capital(*name);
    const bool has_plain_tag =
        !known && tag_.attributes.empty() && !tag_.is_empty && name->is_plain() && !namespaces_.has_entered(scope);
    if (has_plain_tag && plain_content(*name, tag_.begin, cursor_.at())) return true;
    open_.push_back({tag_.name, name->tree_prefix, name->is_as_written, scanned_.elements.size(), scope});
    make_room(scanned_.elements);
    scanned_.elements.push_back(
        {static_cast<std::uint32_t>(tag_.begin), 0, static_cast<std::uint32_t>(values_), name->known});
    if (!count_values(tag_.begin, 1 + tag_.attributes.size())) return false;
    add_element(*name);
    if (normal_) normal_->open(tag_, *name);
    rewriter_.apply();
    if (tag_.is_empty) close_element(cursor_.at());
    return true;
}

void Scanner::add_element(const ElementName& name) {
    scanned_.tree.open(name.tree_name);
    if (!tag_.attributes.empty()) add_attributes();
}

// Attributes that have been put in another order come back into theirs.
void Scanner::add_attributes() {
    const auto is_before = [](const XmlAttribute& a, const XmlAttribute& b) { return a.begin < b.begin; };
    if (!std::is_sorted(tag_.attributes.begin(), tag_.attributes.end(), is_before))
        std::sort(tag_.attributes.begin(), tag_.attributes.end(), is_before);
    for (XmlAttribute& attribute : tag_.attributes) {
        attribute.said = said(attribute);
        scanned_.tree.attribute(attribute.tree_name, attribute.said);
    }
}

std::string_view Scanner::said(const XmlAttribute& attribute) {
    if (attribute.is_plain) return attribute.value;
    room_.clear();
    references_.append_value(room_, attribute.value);
    return scanned_.tree.keep(room_);
}

bool Scanner::end_tag() {
    const std::size_t begin = cursor_.at();
    const OpenElement& element = open_.back();
    const std::size_t name_begin = begin + 2;
    cursor_.move_to(name_begin);
    if (!cursor_.take_name(element.name.full)) return wrong_end_tag(begin);
    cursor_.skip_space();
    if (!cursor_.take('>')) return cursor_.expected("'>' at the end of the tag");
    if (!element.is_as_written) {
        namespaces_.rename(element.name, name_begin, element.new_prefix);
        rewriter_.apply();
    }
    close_element(cursor_.at());
    return true;
}

// At the name in an end tag, which is not that of the open element, or goes on with what no name has.
bool Scanner::wrong_end_tag(std::size_t begin) {
    const OpenElement& element = open_.back();
    QName name;
    if (!read_qname(cursor_, name, "the name of an element")) return false;
    if (name.full == element.name.full) return cursor_.expected("'>' at the end of the tag");
    const std::size_t line = position_in(cursor_.text(), scanned_.elements[element.range].begin).line;
    return cursor_.fail(begin, "</" + excerpt(name.full) + "> where <" + excerpt(element.name.full) + "> of line " +
                                   std::to_string(line) + " is still open");
}

void Scanner::close_element(std::size_t end) {
    const OpenElement& element = open_.back();
    ElementRange& range = scanned_.elements[element.range];
    range.end = static_cast<std::uint32_t>(end);
    range.values = static_cast<std::uint32_t>(values_) - range.values;
    scanned_.tree.close();
    namespaces_.leave(element.scope, end);
    if (normal_) normal_->close();
    open_.pop_back();
}

}  // namespace

boost::system::result<ScannedXml, FeedError> scan_xml(const std::string& text, const FeedLimits& limits,
                                                      const IgnoredParts* ignored) {
    Scanner scanner(text, limits, ignored);
    if (!scanner.scan()) return scanner.error();
    return scanner.take();
}

}  // namespace sluice::feed
