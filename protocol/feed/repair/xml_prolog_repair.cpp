#include "protocol/feed/repair/xml_prolog_repair.hpp"

#include <algorithm>
#include <string>

#include "protocol/feed/html/html_elements.hpp"
#include "protocol/feed/xml/feed_root.hpp"
#include "protocol/feed/xml/xml_declaration.hpp"
#include "protocol/text/name_characters.hpp"
#include "protocol/text/utf8.hpp"

namespace sluice::feed {

namespace {

constexpr std::size_t none = std::string_view::npos;

bool is_xml_declaration(const XmlCursor& cursor) {
    return cursor.looks_at("<?xml") && !text::is_name_char(text::utf8_at(cursor.text(), cursor.at() + 5).code);
}

// The end of a declaration that has no proper one: its '>', or the next '<'.
std::size_t loose_end(std::string_view text, std::size_t begin) {
    const std::size_t end = text.find_first_of("<>", begin + 1);
    return end == none ? text.size() : end + (text[end] == '>' ? 1 : 0);
}

// A DOCTYPE may contain declarations in brackets.
std::size_t doctype_end(std::string_view text, std::size_t begin) {
    const std::size_t end = text.find_first_of("<>[", begin + 1);
    if (end == none || text[end] != '[') return loose_end(text, begin);
    for (std::size_t close = end; (close = text.find(']', close + 1)) != none;) {
        const std::size_t after = text.find_first_not_of(" \t\r\n", close + 1);
        if (after != none && text[after] == '>') return after + 1;
        if (after == none) break;
        close = after - 1;
    }
    return text.size();
}

class PrologRepairer {
public:
    PrologRepairer(XmlCursor& cursor, XmlEdits& edits, Repairs& repairs, XmlReferenceRepair& references, bool any_root)
        : cursor_(cursor), edits_(edits), repairs_(repairs), references_(references), any_root_(any_root) {}

    bool repair();

private:
    enum class Step { further, root, junk, end };

    void xml_declaration();
    Step step();
    Step instruction();
    Step declaration();
    bool find_feed();
    void leave_out(std::size_t end, RepairKind kind, std::string_view reason);

    XmlCursor& cursor_;
    XmlEdits& edits_;
    Repairs& repairs_;
    XmlReferenceRepair& references_;
    const bool any_root_;
    bool has_doctype_ = false;
};

void PrologRepairer::leave_out(std::size_t end, RepairKind kind, std::string_view reason) {
    repairs_.note(kind, cursor_.at(), reason);
    edits_.replace(cursor_.at(), end, {});
    cursor_.move_to(end);
}

bool PrologRepairer::repair() {
    cursor_.take("\xEF\xBB\xBF");
    const std::size_t begin = cursor_.at();
    cursor_.skip_space();
    if (is_xml_declaration(cursor_)) {
        edits_.replace(begin, cursor_.at(), {});  // the scanner accepts white space here
        xml_declaration();
    }
    while (true) {
        cursor_.skip_space();
        switch (cursor_.at_end() ? Step::end : step()) {
            case Step::further:
                break;
            case Step::root:
                return true;
            case Step::junk:
                return find_feed();
            case Step::end:
                return false;
        }
    }
}

void PrologRepairer::xml_declaration() {
    const std::size_t begin = cursor_.at();
    if (read_xml_declaration(cursor_)) return;
    cursor_.move_to(begin);
    leave_out(loose_end(cursor_.text(), begin), RepairKind::xml_declaration, "the XML declaration is faulty");
}

PrologRepairer::Step PrologRepairer::step() {
    if (cursor_.peek() != '<') return Step::junk;
    if (cursor_.looks_at("<!--")) return repair_comment(cursor_, edits_, repairs_) ? Step::further : Step::end;
    if (cursor_.looks_at("<?")) return instruction();
    if (cursor_.looks_at("<!")) return declaration();
    const std::size_t begin = cursor_.at();
    cursor_.move_to(begin + 1);
    std::string_view name = cursor_.nc_name();
    if (!name.empty() && cursor_.take(':')) name = cursor_.nc_name();
    cursor_.move_to(begin);
    if (name.empty()) return Step::junk;
    return any_root_ || !is_root_of_html(name) ? Step::root : Step::junk;
}

PrologRepairer::Step PrologRepairer::instruction() {
    if (is_xml_declaration(cursor_)) {
        leave_out(loose_end(cursor_.text(), cursor_.at()), RepairKind::leading_content,
                  "something stands before the XML declaration");
        return Step::further;
    }
    const LooseMarkup found = repair_instruction(cursor_, edits_, repairs_);
    if (found == LooseMarkup::tag) return Step::further;
    return found == LooseMarkup::text ? Step::junk : Step::end;
}

PrologRepairer::Step PrologRepairer::declaration() {
    const std::size_t begin = cursor_.at();
    if (cursor_.looks_at("<!DOCTYPE") && !has_doctype_) {
        has_doctype_ = true;
        if (references_.doctype()) return Step::further;
        cursor_.move_to(begin);
    }
    leave_out(doctype_end(cursor_.text(), begin), RepairKind::doctype, "the document type declaration is faulty");
    return Step::further;
}

// Leaves out everything before the first start tag of a feed.
bool PrologRepairer::find_feed() {
    const std::string_view text = cursor_.text();
    const std::size_t begin = cursor_.at();
    for (std::size_t at = begin; !any_root_ && (at = text.find('<', at)) != none;) {
        cursor_.move_to(at + 1);
        if (cursor_.looks_at("!--") || cursor_.looks_at("![CDATA[")) {
            at = text.find(text[at + 2] == '-' ? "-->" : "]]>", at);
            if (at == none) break;
            continue;
        }
        std::string_view name = cursor_.nc_name();
        if (cursor_.take(':')) name = cursor_.nc_name();
        const bool is_whole = cursor_.at_end() || std::string_view(" \t\r\n/>").find(cursor_.peek()) != none;
        if (is_whole && !feed_root_kind(name).empty()) {
            cursor_.move_to(begin);
            leave_out(at, RepairKind::leading_content, "something stands before the feed");
            return true;
        }
        at = std::max(at + 1, cursor_.at());
    }
    cursor_.move_to(begin);
    return false;
}

// The text of a comment with a space between hyphens.
std::string spaced(std::string_view body) {
    std::string text;
    for (std::size_t i = 0; i < body.size(); ++i) {
        text += body[i];
        if (body[i] == '-' && (i + 1 == body.size() || body[i + 1] == '-')) text += ' ';
    }
    return text;
}

}  // namespace

bool repair_prolog(XmlCursor& cursor, XmlEdits& edits, Repairs& repairs, XmlReferenceRepair& references,
                   bool any_root) {
    return PrologRepairer(cursor, edits, repairs, references, any_root).repair();
}

bool repair_comment(XmlCursor& cursor, XmlEdits& edits, Repairs& repairs) {
    const std::string_view text = cursor.text();
    const std::size_t begin = cursor.at(), body = begin + 4;
    for (const std::string_view empty : {"<!-->", "<!--->"}) {
        if (!cursor.looks_at(empty)) continue;
        repairs.note(RepairKind::comment, begin, "a comment without its end");
        edits.replace(begin, begin + empty.size(), {});
        cursor.move_to(begin + empty.size());
        return true;
    }
    const std::size_t end = text.find("-->", body);
    if (end == none) return false;
    const std::string_view written = text.substr(body, end - body);
    if (written.ends_with('-') || written.find("--") != none) {
        repairs.note(RepairKind::comment, begin, "\"--\" inside a comment");
        edits.replace(body, end, spaced(written));
    }
    cursor.move_to(end + 3);
    return true;
}

LooseMarkup repair_instruction(XmlCursor& cursor, XmlEdits& edits, Repairs& repairs) {
    const std::string_view text = cursor.text();
    const std::size_t begin = cursor.at();
    cursor.move_to(begin + 2);
    const std::string_view target = cursor.nc_name();
    const std::size_t behind = cursor.at();
    const bool is_separate = cursor.looks_at("?>") || cursor.skip_space();
    cursor.move_to(begin);
    if (target.empty() || !is_separate) return LooseMarkup::text;
    if (is_same_name(target, "xml")) {
        const std::size_t end = text.find_first_of("<>", behind);
        if (end == none || text[end] == '<') return LooseMarkup::text;
        repairs.note(RepairKind::instruction, begin, "an XML declaration inside the document");
        edits.replace(begin, end + 1, {});
        cursor.move_to(end + 1);
        return LooseMarkup::tag;
    }
    const std::size_t end = text.find("?>", behind);
    if (end == none) return LooseMarkup::cut;
    cursor.move_to(end + 2);
    return LooseMarkup::tag;
}

}  // namespace sluice::feed
