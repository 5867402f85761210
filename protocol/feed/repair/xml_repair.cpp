#include "protocol/feed/repair/xml_repair.hpp"

#include <optional>
#include <utility>

#include "protocol/feed/html/html_elements.hpp"
#include "protocol/feed/model/text_position.hpp"
#include "protocol/feed/repair/xml_element_repair.hpp"
#include "protocol/feed/repair/xml_prolog_repair.hpp"
#include "protocol/feed/repair/xml_reference_repair.hpp"
#include "protocol/feed/repair/xml_tag_repair.hpp"

namespace sluice::feed {

namespace {

// Void elements that wait for their end tag add to the depth: there may be one of each kind at each level.
constexpr std::size_t depth_factor = 16;

class XmlRepairer {
public:
    XmlRepairer(const std::string& text, const FeedLimits& limits, std::size_t end, Repairs& repairs)
        : cursor_(text),
          edits_(text, limits.document_bytes_max),
          repairs_(repairs),
          references_(cursor_, edits_, repairs),
          tags_(cursor_, edits_, repairs, references_),
          elements_(edits_, repairs, tags_),
          limits_(limits),
          end_(end) {}

    bool repair(bool any_root);
    RepairedXml take();
    FeedError error() { return std::move(*error_); }

private:
    bool content();
    void text();
    bool markup();
    bool start_tag();
    void end_tag();
    std::size_t end_of_end_tag(std::string_view name);
    void cdata();
    void instruction();
    void declaration();
    void epilog();

    void as_text();  // the '<' that the cursor is at
    void leave_out(std::size_t end, RepairKind kind, std::string_view reason);
    void cut(std::size_t begin);  // the document ends inside what begins here
    bool fail(FeedError::Kind kind, std::string message);
    bool too_large();

    XmlCursor cursor_;
    XmlEdits edits_;
    Repairs& repairs_;
    XmlReferenceRepair references_;
    XmlTagRepair tags_;
    XmlElementRepair elements_;
    const FeedLimits& limits_;
    const std::size_t end_;
    LooseTag tag_;
    std::size_t declarations_at_ = 0;  // in the result
    std::vector<std::size_t> torn_;
    std::optional<FeedError> error_;
};

bool XmlRepairer::repair(bool any_root) {
    const bool has_root = repair_prolog(cursor_, edits_, repairs_, references_, any_root);
    if (!has_root && cursor_.take('<') && is_root_of_html(cursor_.nc_name()))
        return fail(FeedError::Kind::not_a_feed, "the document is an HTML page, not a feed");
    if (!has_root || !start_tag()) return fail(FeedError::Kind::not_well_formed, "the document has no root element");
    if (!content()) return false;
    epilog();
    const std::size_t bytes = edits_.position(cursor_.text().size()) + tags_.missing_declarations().size();
    return bytes <= limits_.document_bytes_max || too_large();
}

RepairedXml XmlRepairer::take() {
    std::string text = edits_.finish();
    RepairedXml repaired{std::move(text), std::move(torn_), std::move(edits_), declarations_at_, 0};
    const std::string declarations = tags_.missing_declarations();
    repaired.declared = declarations.size();
    repaired.text.insert(declarations_at_, declarations);
    for (std::size_t& place : repaired.torn) place += place >= declarations_at_ ? declarations.size() : 0;
    return repaired;
}

bool XmlRepairer::fail(FeedError::Kind kind, std::string message) {
    if (!error_) error_ = error_at(kind, cursor_.text(), cursor_.at(), std::move(message));
    return false;
}

bool XmlRepairer::too_large() {
    return fail(FeedError::Kind::limit, "the repaired document is larger than limits.document_bytes (" +
                                            std::to_string(limits_.document_bytes_max) + ")");
}

bool XmlRepairer::content() {
    while (!elements_.empty()) {
        text();
        if (edits_.is_over()) return too_large();
        if (cursor_.at_end())
            cut(cursor_.at());
        else if (!markup())
            return false;
    }
    return true;
}

void XmlRepairer::text() {
    while (cursor_.skip_to<bytes::XmlTextEnd>() && cursor_.peek() != '<') {
        if (cursor_.peek() == '&') {
            references_.reference();
        } else if (cursor_.looks_at("]]>")) {
            repairs_.note(RepairKind::section_end, cursor_.at(), "\"]]>\" outside a CDATA section");
            edits_.replace(cursor_.at() + 2, cursor_.at() + 3, "&gt;");
            cursor_.move_to(cursor_.at() + 3);
        } else {
            cursor_.take(cursor_.peek());
        }
    }
}

// At '<'.
bool XmlRepairer::markup() {
    if (cursor_.looks_at("</")) {
        end_tag();
    } else if (cursor_.looks_at("<!--")) {
        if (!repair_comment(cursor_, edits_, repairs_)) cut(cursor_.at());
    } else if (cursor_.looks_at("<![CDATA[")) {
        cdata();
    } else if (cursor_.looks_at("<?")) {
        instruction();
    } else if (cursor_.looks_at("<!")) {
        declaration();
    } else {
        return start_tag();
    }
    return true;
}

void XmlRepairer::as_text() {
    const std::size_t begin = cursor_.at();
    repairs_.note(RepairKind::less_than, begin, "a '<' that begins no tag");
    edits_.replace(begin, begin + 1, "&lt;");
    cursor_.move_to(begin + 1);
}

void XmlRepairer::leave_out(std::size_t end, RepairKind kind, std::string_view reason) {
    repairs_.note(kind, cursor_.at(), reason);
    edits_.replace(cursor_.at(), end, {});
    cursor_.move_to(end);
}

void XmlRepairer::cut(std::size_t begin) {
    const std::size_t end = cursor_.text().size();
    const RepairedElement& element = elements_.innermost();
    repairs_.note(RepairKind::cut_off, end,
                  "the document ends inside <" + excerpt(element.name.full) + ">, which begins in line " +
                      std::to_string(position_in(cursor_.text(), element.begin).line));
    edits_.replace(begin, end, {});
    torn_ = elements_.close_all(end);
    cursor_.move_to(end);
}

void XmlRepairer::cdata() {
    const std::size_t end = cursor_.text().find("]]>", cursor_.at());
    if (end == std::string_view::npos)
        cut(cursor_.at());
    else
        cursor_.move_to(end + 3);
}

void XmlRepairer::instruction() {
    const LooseMarkup found = repair_instruction(cursor_, edits_, repairs_);
    if (found == LooseMarkup::text) as_text();
    if (found == LooseMarkup::cut) cut(cursor_.at());
}

// At "<!" of what is no comment and no CDATA section.
void XmlRepairer::declaration() {
    const std::string_view text = cursor_.text();
    const std::size_t begin = cursor_.at();
    if (std::string_view("<![CDATA[").starts_with(text.substr(begin, 9))) return cut(begin);
    const std::size_t end = text.find_first_of("<>", begin + 1);
    if (end == std::string_view::npos || text[end] == '<') return as_text();
    leave_out(end + 1, RepairKind::doctype, "a declaration <!…> inside the document");
}

// False: there is no tag where the root should be, or a limit is exceeded.
bool XmlRepairer::start_tag() {
    const LooseMarkup found = read_loose_tag(cursor_, tag_);
    if (tag_.attributes.size() == loose_attributes_max) {
        return fail(FeedError::Kind::limit,
                    "the tag that begins here has " + std::to_string(loose_attributes_max) + " attributes or more");
    }
    if (found != LooseMarkup::tag) {
        if (elements_.empty()) return false;
        if (found == LooseMarkup::text)
            as_text();
        else
            cut(tag_.begin);
        return true;
    }
    elements_.make_way_for(tag_);
    const bool is_root = elements_.empty();
    if (tag_.begin == end_ && !is_root) return cut(tag_.begin), true;
    const std::size_t position = edits_.position(tag_.begin), bindings = tags_.bindings();
    if (is_root) declarations_at_ = edits_.position(tag_.name_end);
    if (!tags_.enter(tag_)) {
        return fail(FeedError::Kind::limit,
                    "more than " + std::to_string(NamespaceScopes::bindings_max) + " namespaces at one place");
    }
    const bool is_void = !is_root && !tag_.is_empty && tags_.bindings() == bindings && is_void_in_html(tag_.name.full);
    tags_.write(tag_, is_void);
    if (tag_.is_empty) {
        tags_.leave(bindings);
        return true;
    }
    elements_.open(tag_, position, bindings, is_void);
    return elements_.size() <= depth_factor * limits_.depth_max ||
           fail(FeedError::Kind::limit,
                "elements nest deeper than limits.element_depth (" + std::to_string(limits_.depth_max) + ")");
}

void XmlRepairer::end_tag() {
    const std::size_t begin = cursor_.at();
    cursor_.take("</");
    const bool has_space = cursor_.skip_space();
    QName name;
    const std::size_t name_begin = cursor_.at();
    name.prefix = cursor_.nc_name();
    if (!name.prefix.empty() && cursor_.take(':')) cursor_.nc_name();
    name.full = cursor_.since(name_begin);
    if (name.full.empty()) {
        if (cursor_.at_end()) return cut(begin);
        cursor_.move_to(begin);
        return as_text();
    }
    cursor_.skip_space();
    const bool is_proper = !has_space && cursor_.take('>');
    const std::size_t end = is_proper ? cursor_.at() : end_of_end_tag(name.full);
    if (end == std::string_view::npos) return cut(begin);
    cursor_.move_to(begin);
    const auto found = elements_.ended_by(name.full);
    if (!found) {
        elements_.leave_faulty_item(name.full, begin);
        const bool is_first = repairs_.is_first(RepairKind::stray_end_tag);
        return leave_out(end, RepairKind::stray_end_tag,
                         is_first ? "</" + excerpt(name.full) + "> ends no element" : "");
    }
    elements_.close_down_to(*found + 1, begin);
    const std::string_view opened = elements_.top().name.full;
    if (!is_proper || name.full != opened) {
        repairs_.note(RepairKind::attribute, begin, "a faulty end tag");
        edits_.replace(begin, end, "</" + std::string(opened) + ">");
    }
    cursor_.move_to(end);
    elements_.pop();
}

// Behind the name and white space; npos if the document ends inside the tag.
std::size_t XmlRepairer::end_of_end_tag(std::string_view name) {
    const std::string_view text = cursor_.text();
    const std::size_t end = text.find_first_of("<>", cursor_.at());
    if (end != std::string_view::npos) return text[end] == '>' ? end + 1 : end;
    return cursor_.at_end() && elements_.is_open(name) ? text.size() : std::string_view::npos;
}

void XmlRepairer::epilog() {
    while (true) {
        cursor_.skip_space();
        if (cursor_.at_end()) return;
        const std::size_t begin = cursor_.at();
        const bool right = (cursor_.looks_at("<!--") && cursor_.comment()) ||
                           (cursor_.looks_at("<?") && cursor_.processing_instruction());
        if (right) continue;
        cursor_.move_to(begin);
        return leave_out(cursor_.text().size(), RepairKind::trailing_content, "something follows the root element");
    }
}

}  // namespace

boost::system::result<RepairedXml, FeedError> repair_xml(const std::string& text, const FeedLimits& limits,
                                                         bool any_root, Repairs& repairs, std::size_t end) {
    XmlRepairer repairer(text, limits, end, repairs);
    if (!repairer.repair(any_root)) return repairer.error();
    return repairer.take();
}

}  // namespace sluice::feed
