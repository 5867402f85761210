#include "broker/cli/workbench/text_reader.hpp"

#include <algorithm>

#include "broker/cli/common/fasta.hpp"
#include "broker/cli/common/input.hpp"
#include "protocol/text/utf8.hpp"

namespace sluice::cli {

namespace {

constexpr std::size_t chunk_bytes = 256 * 1024;

bool continues(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

// The number of bytes without the last character if that may be incomplete: its other bytes are yet to come.
std::size_t complete_bytes(std::string_view bytes) {
    constexpr std::size_t character_bytes_max = 4;
    for (std::size_t back = 1; back < character_bytes_max && back <= bytes.size(); ++back) {
        const auto byte = static_cast<unsigned char>(bytes[bytes.size() - back]);
        if (byte < 0x80) break;
        if (byte < 0xC0) continue;
        const std::size_t length = byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
        return length > back ? bytes.size() - back : bytes.size();
    }
    return bytes.size();
}

// Where the last `characters` characters of `bytes` begin.
std::size_t begin_of_last(std::string_view bytes, std::uint64_t characters) {
    std::size_t begin = bytes.size();
    for (; characters > 0 && begin > 0; --characters) {
        do --begin;
        while (begin > 0 && continues(bytes[begin]));
    }
    return begin;
}

}  // namespace

std::optional<TextFault> find_text_fault(std::string_view bytes, const std::string& noun) {
    for (std::size_t at = 0; at < bytes.size();) {
        const auto byte = static_cast<unsigned char>(bytes[at]);
        if (byte == 0) return TextFault{"the " + noun + " has a NUL byte", at};
        const std::size_t length = byte < 0x80 ? 1 : text::utf8_at(bytes, at).length;
        if (length == 0) return TextFault{"the " + noun + " is not UTF-8", at};
        at += length;
    }
    return std::nullopt;
}

TextReader::TextReader(std::string path, const Options& options)
    : path_(std::move(path)), options_(options), file_(path_), file_bytes_(file_.stored_size()) {
    notice_error();
}

void TextReader::notice_error() {
    if (!file_.error().empty()) error_ = describe_unreadable(path_, file_.error());
}

std::optional<double> TextReader::share_read() const {
    if (!file_bytes_ || *file_bytes_ == 0) return std::nullopt;
    return std::min(1.0, static_cast<double>(file_.stored_bytes_read()) / static_cast<double>(*file_bytes_));
}

// Reads a chunk; returns whether there is one.
bool TextReader::fill() {
    if (!has_begun_) return begin();
    return fasta_ ? join() : read_chunk();
}

bool TextReader::read_chunk() {
    chunk_.resize(chunk_bytes);
    chunk_.resize(file_.read_fully(chunk_.data(), chunk_.size()));
    next_ = 0;
    notice_error();
    return error_.empty() && !chunk_.empty();
}

// Finds out whether the file is FASTA, and skips a byte order mark.
bool TextReader::begin() {
    has_begun_ = true;
    const bool has_chunk = read_chunk();
    if (!error_.empty()) return false;
    const bool is_fasta = has_fasta_name(inner_name(path_)) || text::begins_like_fasta(chunk_).value_or(false);
    if (is_fasta && !options_.plain) {
        if (options_.one_text) {
            error_ = input_name(path_) + " is FASTA, of which each record is a text; --plain reads it as one text";
            return false;
        }
        fasta_.emplace();
        raw_.swap(chunk_);
        fasta_->give(raw_, raw_ended_ = !has_chunk);
        return join();
    }
    next_ = chunk_.size() - text::without_byte_order_mark(chunk_).size();
    return next_ < chunk_.size() || (has_chunk && read_chunk());
}

bool TextReader::join() {
    chunk_.resize(chunk_bytes);
    std::size_t size = fasta_->take(chunk_.data(), chunk_.size());
    while (size == 0 && fasta_->error().empty() && (fasta_->stopped_at_record() || !raw_ended_)) {
        if (!fasta_->stopped_at_record()) {
            const bool has_chunk = read_chunk();
            if (!error_.empty()) return false;
            raw_.swap(chunk_);
            fasta_->give(raw_, raw_ended_ = !has_chunk);
            chunk_.resize(chunk_bytes);
        }
        size = fasta_->take(chunk_.data(), chunk_.size());
    }
    chunk_.resize(size);
    next_ = 0;
    if (!fasta_->error().empty()) {
        error_line_ = fasta_->error_line();
        error_ = input_name(path_) + ":" + std::to_string(error_line_) + ": " + fasta_->error() +
                 "; --plain reads the file as it is";
    }
    return error_.empty() && size > 0;
}

std::vector<TextReader::Piece> TextReader::read() {
    std::vector<Piece> batch;
    std::size_t bytes = 0;
    while (error_.empty() && batch.size() < options_.texts_max && bytes < options_.piece_bytes) {
        if (next_ == chunk_.size() && (at_end_ || !fill())) {
            if (at_end_ || !error_.empty()) break;
            at_end_ = true;
        }
        const std::size_t before = batch.size();
        take(batch);
        if (batch.size() == before) continue;
        bytes += batch.back().utf8.size();
        if (!batch.back().ends) break;  // the text's next piece is for the next batch
    }
    if (!error_.empty()) batch.clear();
    return batch;
}

// Takes bytes of the chunk as far as they belong to the current text, and gives a piece if there is one.
void TextReader::take(std::vector<Piece>& batch) {
    if (at_end_) {
        if (!in_text_ && (!options_.one_text || texts_ > 0)) return;
        in_text_ = false;
        bool at_line_end = !options_.one_text;
        if (options_.one_text && text_.ends_with('\n')) text_.pop_back(), at_line_end = true;
        if (at_line_end && text_.ends_with('\r')) text_.pop_back();
        if (check(true)) emit(batch, text_.size(), true);
        return;
    }
    const std::size_t end = options_.one_text ? std::string::npos : chunk_.find('\n', next_);
    const bool found = end != std::string::npos;
    text_.append(chunk_, next_, found ? end - next_ : std::string::npos);
    next_ = found ? end + 1 : chunk_.size();
    in_text_ = !found;
    if (found && text_.ends_with('\r')) text_.pop_back();
    if (!check(found)) return;
    if (options_.whole && text_.size() > whole_bytes_max)
        return fail("the text has more than " + std::to_string(whole_bytes_max) + " bytes, too many for --whole", 0);
    if (found) {
        emit(batch, text_.size(), true);
        ++line_;
        byte_in_line_ = 0;
    } else if (!options_.whole && text_.size() >= options_.piece_bytes + seen_) {
        // The line end that does not count may be the last bytes.
        std::size_t bytes = text_.size();
        while (bytes + 2 > text_.size() && bytes > 0 && (text_[bytes - 1] == '\r' || text_[bytes - 1] == '\n')) --bytes;
        emit(batch, std::min(bytes, checked_), false);
    }
}

bool TextReader::check(bool complete) {
    const std::size_t end = complete ? text_.size() : complete_bytes(text_);
    checked_ = std::min(checked_, end);  // a line end may have been removed
    const auto fault = find_text_fault(std::string_view(text_).substr(checked_, end - checked_), "text");
    if (fault) fail(fault->what, checked_ + fault->at);
    checked_ = end;
    return !fault;
}

void TextReader::emit(std::vector<Piece>& batch, std::size_t bytes, bool ends) {
    if (!is_cut_) ++texts_;
    const std::string_view fresh = std::string_view(text_).substr(seen_, bytes - seen_);
    characters_ +=
        static_cast<std::uint64_t>(std::count_if(fresh.begin(), fresh.end(), [](char c) { return !continues(c); }));
    batch.push_back({texts_, text_.substr(0, bytes), !is_cut_, ends, std::nullopt});
    if (fasta_) batch.back().record = record_name();
    is_cut_ = !ends;
    const std::size_t left = ends ? text_.size() : begin_of_last(batch.back().utf8, options_.overlap);
    drop(left);
    seen_ = ends ? 0 : bytes - left;
    checked_ = ends ? 0 : checked_ - left;
}

// The name of the record that is the current text. Forgets those before it.
std::string TextReader::record_name() {
    while (fasta_->records().front().index + 1 < texts_) fasta_->forget_before(fasta_->records()[1].begin);
    return fasta_->records().front().name;
}

// Removes bytes from the beginning of the current text.
void TextReader::drop(std::size_t bytes) {
    const std::string_view dropped = std::string_view(text_).substr(0, bytes);
    const std::size_t last_end = dropped.rfind('\n');
    line_ += static_cast<std::size_t>(std::count(dropped.begin(), dropped.end(), '\n'));
    byte_in_line_ = last_end == std::string_view::npos ? byte_in_line_ + bytes : bytes - last_end - 1;
    text_.erase(0, bytes);
}

void TextReader::fail(const std::string& what, std::size_t at) {
    if (fasta_) {
        error_ = input_name(path_) + ": record " + std::to_string(texts_ + 1) + ": " + what;
        return;
    }
    drop(at);
    error_line_ = line_;
    error_ = input_name(path_) + ":" + std::to_string(line_) + ": " + what;
    if (what.find("--whole") == std::string::npos)
        error_ += ", byte " + std::to_string(byte_in_line_ + 1) + " of the line";
}

}  // namespace sluice::cli
