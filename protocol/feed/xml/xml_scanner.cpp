#include "protocol/feed/xml/xml_scanner.hpp"

#include <optional>
#include <utility>

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
    std::size_t range = 0;  // index in ScannedXml::elements
    ElementNamespace in;
};

// What is between the marks that the text begins and ends with.
std::string_view between(std::string_view text, std::string_view first, std::string_view last) {
    return text.substr(first.size(), text.size() - first.size() - last.size());
}

class Scanner {
public:
    Scanner(const std::string& text, const FeedLimits& limits, const IgnoredParts* ignored)
        : cursor_(text),
          rewriter_(text),
          references_(cursor_, rewriter_, scanned_.context.entities),
          namespaces_(cursor_, rewriter_, scanned_.context.entities),
          limits_(limits) {
        scanned_.elements.reserve(XmlNormalForm::usual_elements);
        open_.reserve(XmlNormalForm::usual_depth);
        if (ignored) normal_.emplace(references_, *ignored, text.size());
    }

    bool scan() { return prolog() && start_tag() && content() && epilog(); }
    ScannedXml take() {
        scanned_.text = rewriter_.finish();
        scanned_.context.namespaces = namespaces_.take_declarations();
        scanned_.undeclared = namespaces_.take_undeclared();
        scanned_.undeclared.shrink_to_fit();  // it is kept with the document
        if (normal_) scanned_.normal_form = normal_->take();
        // The tree is made next, and needs the memory.
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
    bool epilog();

    bool start_tag();
    bool end_tag();
    bool wrong_end_tag(std::size_t begin);
    void close_element(std::size_t end);
    bool character_data();
    bool cdata();
    bool comment_or_instruction();
    bool count_values(std::size_t begin, std::size_t more);

    ScannedXml scanned_;
    XmlCursor cursor_;
    Rewriter rewriter_;
    XmlReferences references_;
    XmlNamespaces namespaces_;
    const FeedLimits& limits_;
    std::vector<OpenElement> open_;
    std::size_t values_ = 0;  // elements, attributes, comments, CDATA sections and instructions so far
    XmlTag tag_;              // being read
    std::optional<XmlNormalizer> normal_;
};

bool Scanner::prolog() {
    cursor_.take("\xEF\xBB\xBF");
    cursor_.skip_space();
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
    return cursor_.peek() == '<' || cursor_.expected("the root element");
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
        bool right = false;
        if (cursor_.looks_at("</")) {
            right = end_tag();
        } else if (cursor_.looks_at("<!--") || cursor_.looks_at("<?")) {
            right = comment_or_instruction();
        } else if (cursor_.looks_at("<![CDATA[")) {
            right = cdata();
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
        const bool is_known = cursor_.looks_at("<!--") || cursor_.looks_at("<?");
        if (!is_known) return cursor_.expected("nothing more after the root element");
        if (!comment_or_instruction()) return false;
    }
}

bool Scanner::character_data() {
    const std::size_t begin = cursor_.at();
    while (cursor_.skip_to<bytes::XmlTextEnd>()) {
        if (cursor_.peek() == '<') {
            if (normal_) normal_->text(cursor_.since(begin));
            return true;
        }
        if (cursor_.peek() == '&') {
            if (!references_.reference()) return false;
            rewriter_.apply();
        } else if (cursor_.looks_at("]]>")) {
            return cursor_.fail(cursor_.at(), "\"]]>\" outside a CDATA section");
        } else {
            cursor_.take(']');
        }
    }
    return true;
}

bool Scanner::comment_or_instruction() {
    const std::size_t begin = cursor_.at();
    if (!count_values(begin, 1)) return false;
    if (!cursor_.looks_at("<?")) return cursor_.comment();
    if (!cursor_.processing_instruction()) return false;
    if (normal_) normal_->instruction(between(cursor_.since(begin), "<?", "?>"));
    return true;
}

// Counts nodes and attributes of the tree.
bool Scanner::count_values(std::size_t begin, std::size_t more) {
    values_ += more;
    if (values_ <= limits_.values_max) return true;
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
    if (normal_) normal_->cdata(between(cursor_.since(begin), "<![CDATA[", "]]>"));
    return true;
}

bool Scanner::start_tag() {
    if (open_.size() >= limits_.depth_max) {
        return cursor_.fail(
            cursor_.at(), "elements nest deeper than limits.element_depth (" + std::to_string(limits_.depth_max) + ")",
            FeedError::Kind::limit);
    }
    if (!read_start_tag(cursor_, references_, tag_)) return false;
    OpenElement element;
    element.name = tag_.name;
    element.range = scanned_.elements.size();
    if (!namespaces_.enter(tag_, element.range, element.in)) return false;
    const char first = tag_.name.local.front();
    scanned_.has_capitals = scanned_.has_capitals || (first >= 'A' && first <= 'Z' && element.in.tree_prefix.empty());
    scanned_.elements.push_back({rewriter_.position(tag_.begin + 1), tag_.begin, 0, values_, element.in.known});
    if (!count_values(tag_.begin, 1 + tag_.attributes.size())) return false;
    if (normal_) normal_->open(tag_, element.in);
    rewriter_.apply();
    open_.push_back(element);
    if (tag_.is_empty) close_element(cursor_.at());
    return true;
}

bool Scanner::end_tag() {
    const std::size_t begin = cursor_.at();
    const OpenElement& element = open_.back();
    cursor_.take("</");
    const std::size_t name_begin = cursor_.at();
    if (!cursor_.take_name(element.name.full)) return wrong_end_tag(begin);
    cursor_.skip_space();
    if (!cursor_.take('>')) return cursor_.expected("'>' at the end of the tag");
    namespaces_.rename(element.name, name_begin, element.in.tree_prefix);
    rewriter_.apply();
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
    range.end = end;
    range.values = values_ - range.values;
    namespaces_.leave(element.in, end);
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
