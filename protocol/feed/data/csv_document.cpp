// CSV (RFC 4180): a header line names the columns, and each row is an event with an element for each column. Lines may
// also end with LF or CR alone; empty lines are skipped. A field that is empty is an empty element. Fields may be
// separated by ';' or tabs. Quotes elsewhere than around a field are read as Python's csv module reads them.
#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "protocol/feed/data/data_parsers.hpp"
#include "protocol/feed/data/document_builder.hpp"
#include "protocol/feed/data/element_name.hpp"
#include "protocol/feed/model/parsed_document.hpp"
#include "protocol/text/ascii.hpp"

namespace sluice::feed {

namespace {

constexpr std::string_view line_ends = "\r\n";

class CsvReader {
public:
    CsvReader(std::string_view text, std::size_t begin, char separator, std::size_t fields_max)
        : text_(text), at_(begin), separator_(separator), fields_max_(fields_max) {}

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
    bool is_at_separator() const { return at_ < text_.size() && text_[at_] == separator_; }
    void unquoted(std::string& value);
    bool is_at_line_end() const { return at_ == text_.size() || line_ends.find(text_[at_]) != std::string_view::npos; }
    bool field(std::string& value);
    bool quoted(std::string& value);

    std::string_view text_;
    std::size_t at_;
    const char separator_;
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
    for (;; ++at_) {  // over the separator
        if (count == fields_max_)
            return fail("the row has more fields than limits.values_per_event allows", row_begin_);
        if (count == fields_.size()) fields_.emplace_back();
        if (!field(fields_[count++])) return false;
        if (is_at_line_end()) break;
    }
    fields_.resize(count);
    return true;
}

// Stops at the separator or the line end behind the field.
bool CsvReader::field(std::string& value) {
    value.clear();
    if (at_ < text_.size() && text_[at_] == '"' && !quoted(value)) return false;
    unquoted(value);
    return true;
}

// Quotes in it are text.
void CsvReader::unquoted(std::string& value) {
    const char ends[] = {separator_, '\r', '\n'};
    const std::size_t end = std::min(text_.find_first_of({ends, sizeof ends}, at_), text_.size());
    value.append(text_, at_, end - at_);
    at_ = end;
}

// Stops behind the closing quote.
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
        if (at_ == text_.size() || text_[at_] != '"') return true;
        value += '"';
        ++at_;
    }
}

// Which of ',', ';' and tabs separates most fields of the header line; of equals, the first of these.
char separator_of(std::string_view text) {
    std::size_t commas = 0, semicolons = 0, tabs = 0;
    bool is_quoted = false;
    for (const char c : text) {
        if (c == '"') is_quoted = !is_quoted;
        if (is_quoted) continue;
        if (line_ends.find(c) != std::string_view::npos) break;
        commas += c == ',' ? 1u : 0u;
        semicolons += c == ';' ? 1u : 0u;
        tabs += c == '\t' ? 1u : 0u;
    }
    if (commas >= semicolons && commas >= tabs) return ',';
    return semicolons >= tabs ? ';' : '\t';
}

struct CsvStart {
    std::size_t begin = 0;
    char separator = ',';
    bool is_declared = false;
};

// Without a header line the separator is ',', so that a row alone is read alike. A first line "sep=;", which
// spreadsheets write and read, counts in any case.
CsvStart start_of(std::string_view text, bool has_header, bool has_tabs) {
    constexpr std::string_view declaration = "sep=";
    CsvStart start;
    start.begin = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
    if (has_header)
        start.separator =
            separator_of(text.substr(std::min(text.find_first_not_of(line_ends, start.begin), text.size())));
    if (has_tabs) start.separator = '\t';
    const std::string_view first = text.substr(start.begin, declaration.size() + 2);
    if (first.size() > declaration.size() + 1 && text::ascii_lower(first).starts_with(declaration) &&
        line_ends.find(first.back()) != std::string_view::npos && first[declaration.size()] != '"') {
        start.separator = first[declaration.size()];
        start.begin += declaration.size() + 1;
        start.is_declared = true;
    }
    return start;
}

std::vector<Column> columns_of(const std::vector<std::string>& fields, bool has_header) {
    std::vector<Column> columns(fields.size());
    std::unordered_map<std::string_view, std::size_t> last;  // column by name
    for (std::size_t i = 0; i < fields.size(); ++i) {
        columns[i].name = has_header ? std::string(text::trim(fields[i])) : "c" + std::to_string(i + 1);
        const auto [same, is_first] = last.try_emplace(columns[i].name, i);
        columns[i].first = is_first ? i : columns[same->second].first;
        if (!is_first) columns[same->second].next = i;
        same->second = i;
    }
    return columns;
}

std::vector<std::string> names_of(const std::vector<Column>& columns) {
    std::vector<std::string> names;
    for (const Column& column : columns) names.push_back(element_name(column.name));
    return names;
}

// An error page in place of the table; its lines would be rows with one column.
bool begins_as_markup(std::string_view text) {
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    return text::trim(text.substr(0, 1024)).starts_with('<');
}

void add_row(DocumentBuilder& builder, CsvReader& reader, const std::vector<std::string>& names) {
    const TreeNode item = builder.begin_item(reader.row_begin());
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
    const bool has_tabs = options.content_type.type == tab_separated_type;
    const CsvStart start = start_of(all, has_header, has_tabs);
    CsvReader reader(all, start.begin, start.separator, options.limits.item_values_max);
    if (!has_header && start.is_declared)
        builder.set_head(std::min(all.find_first_not_of(line_ends, start.begin), all.size()));
    std::vector<std::string> names;
    bool is_first = true;
    while (!builder.has_failed() && reader.begin_row()) {
        const bool is_good = reader.read_row();
        if (is_first && is_good) {
            std::vector<Column> columns = columns_of(reader.fields(), has_header);
            names = names_of(columns);
            builder.set_columns(std::move(columns));
        }
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
