#include "broker/cli/common/joined_fasta.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

namespace sluice::cli {

namespace {

constexpr std::string_view record_end = "\n";

std::size_t bytes_of(const JoinedFasta::Record& record) { return sizeof record + record.name.size(); }

std::string printable_byte(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x80 && std::isprint(byte) != 0 ? "'" + std::string(1, c) + "'" : "byte " + std::to_string(byte);
}

}  // namespace

std::string describe_fasta_fault(const text::FastaReader& reader, const text::FastaReader::Part& part) {
    if (part.kind == text::FastaReader::Part::Kind::stray) {
        if (part.offset == 0 && part.text == "@") return "expected FASTA, a line that starts with '>', not FASTQ";
        return "expected a line that starts with '>'";
    }
    return "expected letters, '*', '-' or '.', not " + printable_byte(part.text.front()) + " (column " +
           std::to_string(reader.column_of(part)) + ")";
}

std::size_t JoinedFasta::take(char* to, std::size_t room) {
    std::size_t size = 0;
    stopped_at_record_ = false;
    while (size < room && !stopped_at_record_) {
        if (rest_.empty() && !read_part()) break;
        const std::size_t n = rest_.copy(to + size, room - size);
        rest_.remove_prefix(n);
        size += n;
        written_ += n;
    }
    return size;
}

// Sets rest_, to nothing if the part has no bytes. Returns false if there is no part.
bool JoinedFasta::read_part() {
    using Kind = text::FastaReader::Part::Kind;
    if (!error_.empty()) return false;
    const auto part = reader_.next();
    if (!part) {
        if (!is_last_ || !std::exchange(is_open_, false)) return false;
        rest_ = record_end;
        return true;
    }
    if (part->kind == Kind::header) {
        begin_record(part->text);
    } else if (part->kind == Kind::residues) {
        rest_ = part->text;
        letters_ += rest_.size();
    } else {
        error_ = describe_fasta_fault(reader_, *part);
        return false;
    }
    return true;
}

void JoinedFasta::begin_record(std::string_view header) {
    if (is_open_) rest_ = record_end;
    is_open_ = true;
    records_.push_back({written_ + rest_.size(), record_count_++, std::string(text::fasta_name(header))});
    names_bytes_ += bytes_of(records_.back());
    stopped_at_record_ = names_bytes_ > names_bytes_max;
}

void JoinedFasta::forget_before(std::uint64_t offset) {
    while (records_.size() > 1 && records_[1].begin <= offset) {
        names_bytes_ -= bytes_of(records_.front());
        records_.pop_front();
    }
}

}  // namespace sluice::cli
