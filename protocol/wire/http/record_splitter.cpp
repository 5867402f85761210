#include "protocol/wire/http/record_splitter.hpp"

#include <algorithm>
#include <utility>

namespace sluice::wire {

namespace {

constexpr char record_separator = '\x1e';
constexpr std::string_view white_space = " \t\r\n";  // JSON's
constexpr std::size_t line_end_bytes_max = 2;        // CR LF

// Without the line's end, of which a splitter of lines has taken the LF.
std::string_view without_line_end(std::string_view text) {
    if (text.ends_with('\n')) text.remove_suffix(1);
    if (text.ends_with('\r')) text.remove_suffix(1);
    return text;
}

}  // namespace

bool RecordSplitter::next(std::string_view& input, SplitRecord& record) {
    const char separator = framing_ == RecordFraming::lines ? '\n' : record_separator;
    while (!input.empty()) {
        const std::size_t end = input.find(separator);
        const std::string_view piece = input.substr(0, end);
        if (end == std::string_view::npos) {
            take(piece);
            input = {};
            return false;
        }
        input.remove_prefix(end + 1);
        const bool is_record = finish(piece, record);
        begin_next(1);
        if (is_record) return true;
    }
    return false;
}

void RecordSplitter::pass_over() {
    if (dropped_ != Fault::none) return;
    dropped_ = Fault::passed_over;
    std::string().swap(text_);
}

std::size_t RecordSplitter::memory_bytes(std::size_t more) const {
    if (dropped_ != Fault::none) return 0;
    const std::size_t needed = text_.size() + more;
    return needed <= text_.capacity() ? text_.capacity() : text_.capacity() + std::max(needed, 2 * text_.capacity());
}

// A piece without a separator. Of a record that may not be too large yet, for its line end does not count.
void RecordSplitter::take(std::string_view piece) {
    pending_ += piece.size();
    if (framing_ == RecordFraming::sequence)
        lines_ += static_cast<std::uint64_t>(std::count(piece.begin(), piece.end(), '\n'));
    if (is_blank_) is_blank_ = piece.find_first_not_of(white_space) == std::string_view::npos;
    if (dropped_ != Fault::none) return;
    if (text_.size() + piece.size() <= bytes_max_ + line_end_bytes_max) {
        text_.append(piece);
        return;
    }
    dropped_ = Fault::too_large;
    std::string().swap(text_);
}

// `piece`: the rest of the record. Returns whether there is a record.
bool RecordSplitter::finish(std::string_view piece, SplitRecord& record) {
    const bool is_whole = text_.empty() && dropped_ == Fault::none;  // most records come in one piece
    if (is_whole && piece.size() <= bytes_max_ + line_end_bytes_max) {
        pending_ += piece.size();
        if (framing_ == RecordFraming::sequence)
            lines_ += static_cast<std::uint64_t>(std::count(piece.begin(), piece.end(), '\n'));
        if (is_blank_) is_blank_ = piece.find_first_not_of(white_space) == std::string_view::npos;
    } else {
        take(piece);
        piece = text_;
    }
    if (is_blank_) return false;
    record.number = ++records_;
    record.line = line_;
    record.offset = offset_;
    record.fault = fault_of(piece, dropped_ == Fault::none);
    record.text.clear();
    if (record.fault != Fault::none) return true;
    const std::string_view text = without_line_end(piece);
    if (piece.data() == text_.data() && !text_.empty()) {
        text_.resize(text.size());
        record.text.swap(text_);
    } else {
        record.text.assign(text);
    }
    return true;
}

RecordSplitter::Fault RecordSplitter::fault_of(std::string_view text, bool is_kept) const {
    if (!is_kept) return dropped_;
    if (framing_ == RecordFraming::sequence && !has_separator_) return Fault::no_separator;
    if (framing_ == RecordFraming::sequence && !text.ends_with('\n')) return Fault::no_line_end;
    return without_line_end(text).size() > bytes_max_ ? Fault::too_large : Fault::none;
}

void RecordSplitter::begin_next(std::size_t separator_bytes) {
    offset_ += pending_ + separator_bytes;
    line_ += framing_ == RecordFraming::lines ? 1 : lines_;
    pending_ = lines_ = 0;
    is_blank_ = true;
    dropped_ = Fault::none;
    has_separator_ = true;
    std::string().swap(text_);
}

}  // namespace sluice::wire
