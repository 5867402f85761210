// CSV (RFC 4180): a header line names the columns, and each row is an event with an element for each column. Lines may
// also end with LF or CR alone; empty lines are skipped. A field that is empty is an empty element.
#include <algorithm>
#include <utility>
#include <vector>

#include "protocol/feed/document_builder.hpp"
#include "protocol/feed/element_name.hpp"
#include "protocol/feed/parsed_document.hpp"
#include "protocol/text/ascii.hpp"

namespace sluice::feed {

namespace {

constexpr std::string_view line_ends = "\r\n";

class CsvReader {
public:
    CsvReader(std::string_view text, std::size_t begin, std::size_t fields_max)
        : text_(text), at_(begin), fields_max_(fields_max) {}

    // Skips empty lines, too. False: the text ends here.
    bool begin_row();
    // Reads the row up to the end of its line. False: it is bad, and the rest of the line was skipped.
    bool read_row();

    const std::vector<std::string>& fields() const { return fields_; }
    std::size_t row_begin() const { return row_begin_; }
    std::size_t offset() const { return at_; }  // behind the row, before its line end
    std::size_t next_line() const { return std::min(at_ + (text_.substr(at_, 2) == "\r\n" ? 2 : 1), text_.size()); }

    bool fail(std::string message, std::size_t offset);
    const std::string& fault() const { return fault_; }
    std::size_t fault_offset() const { return fault_at_; }

private:
    bool is_at_line_end() const { return at_ == text_.size() || line_ends.find(text_[at_]) != std::string_view::npos; }
    bool field(std::string& value);
    bool quoted(std::string& value);

    std::string_view text_;
    std::size_t at_;
    const std::size_t fields_max_;
    std::size_t row_begin_ = 0;
    std::vector<std::string> fields_;
    std::string fault_;
    std::size_t fault_at_ = 0;
};

bool CsvReader::begin_row() {
    at_ = std::min(text_.find_first_not_of(line_ends, at_), text_.size());
    row_begin_ = at_;
    return at_ < text_.size();
}

bool CsvReader::fail(std::string message, std::size_t offset) {
    fault_ = std::move(message);
    fault_at_ = offset;
    at_ = std::min(text_.find_first_of(line_ends, at_), text_.size());
    return false;
}

bool CsvReader::read_row() {
    std::size_t count = 0;
    for (;; ++at_) {  // over the comma
        if (count == fields_max_)
            return fail("the row has more fields than limits.values_per_event allows", row_begin_);
        if (count == fields_.size()) fields_.emplace_back();
        if (!field(fields_[count++])) return false;
        if (is_at_line_end()) break;
    }
    fields_.resize(count);
    return true;
}

// Stops at the comma or the line end behind the field.
bool CsvReader::field(std::string& value) {
    value.clear();
    if (at_ < text_.size() && text_[at_] == '"') return quoted(value);
    const std::size_t end = std::min(text_.find_first_of(",\r\n\"", at_), text_.size());
    value.assign(text_, at_, end - at_);
    at_ = end;
    if (is_at_line_end() || text_[at_] == ',') return true;
    return fail("not CSV: a quote in a field that does not begin with one; quote the field and double the quote", at_);
}

bool CsvReader::quoted(std::string& value) {
    const std::size_t begin = at_;
    for (++at_;;) {
        const std::size_t quote = text_.find('"', at_);
        if (quote == std::string_view::npos) {
            at_ = text_.size();
            return fail("not CSV: a quoted field has no closing quote", begin);
        }
        value.append(text_, at_, quote - at_);
        at_ = quote + 1;
        if (at_ == text_.size() || text_[at_] != '"') break;
        value += '"';
        ++at_;
    }
    if (is_at_line_end() || text_[at_] == ',') return true;
    return fail("not CSV: a quoted field goes on behind its closing quote", at_);
}

std::vector<std::string> column_names(const std::vector<std::string>& fields, bool has_header) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < fields.size(); ++i)
        names.push_back(has_header ? element_name(text::trim(fields[i])) : "c" + std::to_string(i + 1));
    return names;
}

// An error page in place of the table; its lines would be rows with one column.
bool begins_as_markup(std::string_view text) {
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    return text::trim(text.substr(0, 1024)).starts_with('<');
}

void add_row(DocumentBuilder& builder, CsvReader& reader, const std::vector<std::string>& names) {
    const pugi::xml_node item = builder.begin_item(reader.row_begin());
    if (!item) return;
    const std::vector<std::string>& fields = reader.fields();
    if (fields.size() != names.size()) {
        return builder.refuse_item(FeedError::Kind::not_well_formed, reader.row_begin(),
                                   "the row has " + std::to_string(fields.size()) + " fields, but there are " +
                                       std::to_string(names.size()) + " columns");
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
        builder.add_value(item, names[i], fields[i]);
        builder.say(names[i], fields[i]);
    }
    builder.end_item(reader.offset());
}

}  // namespace

ParsedDocumentResult parse_csv(std::shared_ptr<const std::string> text, const DocumentOptions& options,
                               bool has_header) {
    DocumentBuilder builder(std::move(text), FeedFormat::data, options);
    const std::string_view all = builder.text();
    if (has_header && begins_as_markup(all))
        builder.fail(FeedError::Kind::not_a_feed, 0, "the document is a page of HTML, or XML, not CSV");
    CsvReader reader(all, all.starts_with("\xEF\xBB\xBF") ? 3 : 0, options.limits.item_values_max);
    std::vector<std::string> names;
    bool is_first = true;
    while (!builder.has_failed() && reader.begin_row()) {
        const bool is_good = reader.read_row();
        if (is_first && is_good) names = column_names(reader.fields(), has_header);
        if (is_first && (has_header || !is_good)) {
            if (!is_good) builder.fail(FeedError::Kind::not_well_formed, reader.fault_offset(), reader.fault());
            builder.set_head(reader.next_line());
        } else if (is_good) {
            add_row(builder, reader, names);
        } else if (builder.begin_item(reader.row_begin())) {
            builder.refuse_item(FeedError::Kind::not_well_formed, reader.fault_offset(), reader.fault());
        }
        is_first = false;
    }
    if (is_first && has_header)
        builder.fail(FeedError::Kind::not_well_formed, all.size(),
                     "CSV begins with a header line that names the columns");
    return builder.finish();
}

}  // namespace sluice::feed
