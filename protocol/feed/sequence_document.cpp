// FASTA and FASTQ: each record is an event with the values @id, description, sequence and quality. Sequences and
// qualities may go over several lines.
#include <algorithm>
#include <optional>
#include <utility>

#include "protocol/feed/document_builder.hpp"
#include "protocol/feed/parsed_document.hpp"
#include "protocol/feed/text_lines.hpp"
#include "protocol/text/ascii.hpp"

namespace sluice::feed {

namespace {

std::size_t records_begin(std::string_view text) { return text.starts_with("\xEF\xBB\xBF") ? 3 : 0; }

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
            return Fault{lines.begin() + i, "a sequence has letters, '*', '-' and '.' only"};
    }
    return std::nullopt;
}

// "@id" is the first word of the header line, "description" the rest.
void add_header(DocumentBuilder& builder, pugi::xml_node item, std::string_view header) {
    header.remove_prefix(1);
    const std::size_t end = std::min(header.find_first_of(" \t"), header.size());
    const std::string_view description = text::trim(header.substr(end));
    if (end != 0) builder.add_attribute(item, "id", std::string(header.substr(0, end)));
    if (!description.empty()) builder.add_value(item, "description", std::string(description));
}

class FastaReader {
public:
    explicit FastaReader(DocumentBuilder& builder)
        : builder_(builder), lines_(builder.text(), records_begin(builder.text())) {}

    void read();

private:
    void end_record();

    DocumentBuilder& builder_;
    TextLines lines_;
    pugi::xml_node item_;
    std::size_t end_ = 0;  // of the record's last line so far
    std::string sequence_;
    std::optional<Fault> fault_;
};

void FastaReader::read() {
    while (!builder_.has_failed() && lines_.next()) {
        const std::string_view line = lines_.line();
        if (is_empty_line(line) || line.starts_with(';')) continue;
        if (line.starts_with('>')) {
            end_record();
            item_ = builder_.begin_item(lines_.begin());
            add_header(builder_, item_, line);
        } else if (!item_) {
            builder_.fail(FeedError::Kind::not_well_formed, lines_.begin(), "not FASTA: a record begins with '>'");
        } else if (!fault_) {
            fault_ = add_residues(lines_, sequence_);
        }
        end_ = lines_.end();
    }
    end_record();
}

void FastaReader::end_record() {
    if (!item_) return;
    if (fault_) {
        builder_.refuse_item(FeedError::Kind::not_well_formed, fault_->offset, std::move(fault_->message));
    } else {
        builder_.add_value(item_, "sequence", sequence_);
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
        const pugi::xml_node item = builder_.begin_item(lines_.begin());
        if (!item) return;
        auto fault =
            header.starts_with('@') ? read_record() : Fault{lines_.begin(), "not FASTQ: a record begins with '@'"};
        is_lost = fault.has_value();
        if (fault) {
            builder_.refuse_item(FeedError::Kind::not_well_formed, fault->offset, std::move(fault->message));
            lines_.go_to(behind_header);
            continue;
        }
        add_header(builder_, item, header);
        builder_.add_value(item, "sequence", sequence_);
        builder_.add_value(item, "quality", quality_);
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

ParsedDocumentResult parse_fasta(std::shared_ptr<const std::string> text, const FeedLimits& limits) {
    DocumentBuilder builder(std::move(text), FeedFormat::data, limits);
    FastaReader(builder).read();
    return builder.finish();
}

ParsedDocumentResult parse_fastq(std::shared_ptr<const std::string> text, const FeedLimits& limits) {
    DocumentBuilder builder(std::move(text), FeedFormat::data, limits);
    FastqReader(builder).read();
    return builder.finish();
}

}  // namespace sluice::feed
