#include "protocol/feed/xml/xml_ancestors.hpp"

#include <vector>

#include "protocol/feed/xml/xml_cursor.hpp"
#include "protocol/feed/xml/xml_doctype.hpp"

namespace sluice::feed {

namespace {

// Examines only what it needs to find where a tag begins and ends.
class AncestorWalker {
public:
    explicit AncestorWalker(const std::string& text) : cursor_(text) {}

    // Moves behind the next start tag, which begins at `begin_`, and opens its element unless that is empty. False:
    // there is none.
    bool next_start_tag();
    std::size_t begin() const { return begin_; }
    void leave_for(std::size_t end);  // skips the element whose start tag was found
    XmlSurroundings around() const;   // of the element whose start tag was found

private:
    void move_behind(std::string_view end, std::size_t from);
    void move_to_tag_end();
    void doctype();

    XmlCursor cursor_;
    std::string_view doctype_;
    std::vector<XmlAncestor> open_;
    std::size_t begin_ = 0;
    bool is_empty_ = true;
};

void AncestorWalker::move_behind(std::string_view end, std::size_t from) {
    const std::size_t found = cursor_.text().find(end, from);
    cursor_.move_to(found == std::string_view::npos ? cursor_.text().size() : found + end.size());
}

// Begins at '<'. Skips quoted attribute values, which may contain '>'.
void AncestorWalker::move_to_tag_end() {
    const std::string_view text = cursor_.text();
    std::size_t at = begin_;
    while ((at = text.find_first_of("\"'>", at)) != std::string_view::npos && text[at] != '>') {
        at = text.find(text[at], at + 1);
        if (at == std::string_view::npos) break;
        ++at;
    }
    cursor_.move_to(at == std::string_view::npos ? text.size() : at + 1);
}

void AncestorWalker::doctype() {
    const std::size_t begin = cursor_.at();
    XmlEntities unused;
    if (!read_doctype(cursor_, unused)) cursor_.move_to(cursor_.text().size());
    const std::string_view text = cursor_.since(begin);
    if (text.find("<!ENTITY") != std::string_view::npos) doctype_ = text;
}

bool AncestorWalker::next_start_tag() {
    while (true) {
        move_behind("<", cursor_.at());
        if (cursor_.at_end()) return false;
        const std::size_t begin = cursor_.at() - 1;
        cursor_.move_to(begin);
        if (cursor_.looks_at("</")) {
            if (!open_.empty()) open_.pop_back();
            move_behind(">", begin);
        } else if (cursor_.looks_at("<!--")) {
            move_behind("-->", begin + 4);
        } else if (cursor_.looks_at("<?")) {
            move_behind("?>", begin + 2);
        } else if (cursor_.looks_at("<![CDATA[")) {
            move_behind("]]>", begin);
        } else if (cursor_.looks_at("<!DOCTYPE")) {
            doctype();
        } else {
            begin_ = begin;
            move_to_tag_end();
            const std::string_view tag = cursor_.since(begin);
            is_empty_ = tag.ends_with("/>");
            if (!is_empty_) open_.push_back({tag.substr(1, tag.find_first_of(" \t\r\n>") - 1), tag});
            return true;
        }
    }
}

void AncestorWalker::leave_for(std::size_t end) {
    if (!is_empty_) open_.pop_back();
    cursor_.move_to(end);
}

XmlSurroundings AncestorWalker::around() const {
    return {doctype_, std::span(open_).first(open_.size() - (is_empty_ ? 0 : 1))};
}

}  // namespace

void visit_ancestors(const std::string& text, std::span<const std::string_view> elements,
                     std::span<const std::size_t> wanted,
                     const std::function<void(const XmlSurroundings&, std::size_t)>& visit) {
    const auto begin_of = [&](std::size_t e) { return static_cast<std::size_t>(elements[e].data() - text.data()); };
    AncestorWalker walker(text);
    std::size_t element = 0;  // the first that the walker has not passed
    for (std::size_t i = 0; i < wanted.size() && walker.next_start_tag();) {
        while (element < elements.size() && begin_of(element) < walker.begin()) ++element;  // inside a skipped one
        if (element == elements.size() || begin_of(element) != walker.begin()) continue;
        if (element == wanted[i]) visit(walker.around(), i++);
        const std::size_t end = walker.begin() + elements[element].size();
        if (i < wanted.size() && begin_of(wanted[i]) >= end) walker.leave_for(end);
    }
}

}  // namespace sluice::feed
