// FASTA and FASTQ: each record is an event with the values @id, description, sequence and quality. Sequences and
// qualities may go over several lines.
#include <algorithm>
#include <optional>
#include <utility>

#include "protocol/feed/data/data_parsers.hpp"
#include "protocol/feed/data/document_builder.hpp"
#include "protocol/feed/model/parsed_document.hpp"
#include "protocol/text/ascii.hpp"
#include "protocol/text/fasta.hpp"
#include "protocol/text/utf8.hpp"

namespace sluice::feed {

namespace {

// A text line by line; a line ends with LF, CR LF or CR.
class TextLines {
public:
    TextLines(std::string_view text, std::size_t begin) : text_(text), next_(begin) {}

    // Goes to the next line; false: there is none.
    bool next() {
        begin_ = next_;
        if (begin_ >= text_.size()) return false;
        const std::size_t end = std::min(text_.find_first_of("\r\n", begin_), text_.size());
        line_ = text_.substr(begin_, end - begin_);
        next_ = end + (text_.substr(end, 2) == "\r\n" ? 2 : 1);
        return true;
    }
    // Makes next() go to the line that begins at this offset.
    void go_to(std::size_t begin) { next_ = begin; }

    std::string_view line() const { return line_; }  // without its end
    std::size_t begin() const { return begin_; }     // its offset
    std::size_t end() const { return begin_ + line_.size(); }
    std::size_t following() const { return next_; }  // the offset of the next line

private:
    std::string_view text_, line_;
    std::size_t begin_ = 0, next_;
};

std::size_t records_begin(std::string_view text) { return text.size() - text::without_byte_order_mark(text).size(); }

constexpr const char* bad_residue = "a sequence has letters, '*', '-' and '.' only";

bool is_residue(char c) { return text::is_ascii_letter(c) || c == '*' || c == '-' || c == '.'; }
bool is_score(char c) { return c >= '!' && c <= '~'; }
bool is_empty_line(std::string_view line) { return text::trim(line).empty(); }

struct Fault {
    std::size_t offset;
    std::string message;
};

// Appends the line's letters. White space between them is left out.
std::optional<Fault> add_residues(const TextLines& lines, std::string& sequence) {
    const std::string_view line = lines.line();
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (is_residue(line[i]))
            sequence += line[i];
        else if (line[i] != ' ' && line[i] != '\t')
            return Fault{lines.begin() + i, bad_residue};
    }
    return std::nullopt;
}

// "@id" is the first word of the header line, which comes without its first character; "description" is the rest.
void add_header(DocumentBuilder& builder, TreeNode item, std::string_view header) {
    const std::string_view name = text::fasta_name(header);
    const std::string_view description = text::trim(header.substr(name.size()));
    if (!name.empty()) builder.add_attribute("id", name);
    if (!description.empty()) builder.add_value(item, "description", description);
    builder.say("id", name);
    builder.say("description", description);
}

class FastaDocument {
public:
    explicit FastaDocument(DocumentBuilder& builder) : builder_(builder) {}

    void read();

private:
    void take(const text::FastaReader::Part& part);
    void end_record();

    DocumentBuilder& builder_;
    TreeNode item_;
    std::size_t end_ = 0;  // of the record's last line so far
    std::string sequence_;
    std::optional<Fault> fault_;
};

void FastaDocument::read() {
    text::FastaReader reader;
    reader.give(builder_.text(), true);
    while (!builder_.has_failed()) {
        const auto part = reader.next();
        if (!part) break;
        take(*part);
    }
    end_record();
}

void FastaDocument::take(const text::FastaReader::Part& part) {
    using Kind = text::FastaReader::Part::Kind;
    switch (part.kind) {
        case Kind::header:
            end_record();
            item_ = builder_.begin_item(part.offset - 1);
            add_header(builder_, item_, part.text);
            break;
        case Kind::residues:
            if (!fault_) sequence_ += part.text;
            break;
        case Kind::bad:
            if (!fault_) fault_ = Fault{part.offset, bad_residue};
            break;
        case Kind::stray:
            builder_.fail(FeedError::Kind::not_well_formed, part.offset, "not FASTA: a record begins with '>'");
            break;
    }
    end_ = part.offset + part.text.size();
}

void FastaDocument::end_record() {
    if (!item_) return;
    if (fault_) {
        builder_.refuse_item(FeedError::Kind::not_well_formed, fault_->offset, std::move(fault_->message));
    } else {
        builder_.add_value(item_, "sequence", sequence_);
        builder_.say("sequence", sequence_);
        builder_.end_item(end_);
    }
    item_ = {};
    sequence_.clear();
    fault_.reset();
}

class FastqReader {
public:
    explicit FastqReader(DocumentBuilder& builder)
        : builder_(builder), lines_(builder.text(), records_begin(builder.text())) {}

    void read();

private:
    std::optional<Fault> read_record();
    std::optional<Fault> read_quality();
    Fault ends_early(const char* where) const {
        return {lines_.begin(), std::string("the record ends in its ") + where};
    }

    DocumentBuilder& builder_;
    TextLines lines_;
    std::string sequence_, quality_;
};

// After a bad record, reading goes on at the next line that begins with '@'. If that is a quality, what follows it is
// no sequence, so it is refused as well.
void FastqReader::read() {
    bool is_lost = false;
    while (!builder_.has_failed() && lines_.next()) {
        const std::string_view header = lines_.line();
        if (is_empty_line(header) || (is_lost && !header.starts_with('@'))) continue;
        const std::size_t behind_header = lines_.following();
        const TreeNode item = builder_.begin_item(lines_.begin());
        if (!item) return;
        auto fault =
            header.starts_with('@') ? read_record() : Fault{lines_.begin(), "not FASTQ: a record begins with '@'"};
        is_lost = fault.has_value();
        if (fault) {
            builder_.refuse_item(FeedError::Kind::not_well_formed, fault->offset, std::move(fault->message));
            lines_.go_to(behind_header);
            continue;
        }
        add_header(builder_, item, header.substr(1));
        builder_.add_value(item, "sequence", sequence_);
        builder_.add_value(item, "quality", quality_);
        builder_.say("sequence", sequence_);
        builder_.say("quality", quality_);
        builder_.end_item(lines_.end());
    }
}

std::optional<Fault> FastqReader::read_record() {
    sequence_.clear();
    quality_.clear();
    for (;;) {
        if (!lines_.next()) return ends_early("sequence");
        if (lines_.line().starts_with('+')) break;
        if (auto fault = add_residues(lines_, sequence_)) return fault;
    }
    return read_quality();
}

// Its lines may begin with '@' or '+', so its length tells its end.
std::optional<Fault> FastqReader::read_quality() {
    do {
        if (!lines_.next()) return sequence_.empty() ? std::nullopt : std::optional(ends_early("quality"));
        const std::string_view line = lines_.line();
        if (line.empty() && !sequence_.empty()) return ends_early("quality");
        if (!std::all_of(line.begin(), line.end(), is_score))
            return Fault{lines_.begin(), "a quality has printable ASCII characters only"};
        quality_ += line;
    } while (quality_.size() < sequence_.size());
    if (quality_.size() == sequence_.size()) return std::nullopt;
    return Fault{lines_.begin(), "the quality has more characters than the sequence"};
}

}  // namespace

ParsedDocumentResult parse_fasta(std::shared_ptr<const std::string> text, const DocumentOptions& options) {
    DocumentBuilder builder(std::move(text), FeedFormat::data, options);
    FastaDocument(builder).read();
    return builder.finish();
}

ParsedDocumentResult parse_fastq(std::shared_ptr<const std::string> text, const DocumentOptions& options) {
    DocumentBuilder builder(std::move(text), FeedFormat::data, options);
    FastqReader(builder).read();
    return builder.finish();
}

}  // namespace sluice::feed
