#include "protocol/text/fasta.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "protocol/text/ascii.hpp"
#include "protocol/text/utf8.hpp"

namespace sluice::text {

namespace {

constexpr std::array<bool, 256> residues = [] {
    std::array<bool, 256> table{};
    for (int byte = 0; byte < 128; ++byte) {
        const auto c = static_cast<char>(byte);
        table[static_cast<std::size_t>(byte)] = is_ascii_letter(c) || c == '*' || c == '-' || c == '.';
    }
    return table;
}();

bool is_residue(char c) { return residues[static_cast<unsigned char>(c)]; }
bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool is_line_end(char c) { return c == '\n' || c == '\r'; }

}  // namespace

void FastaReader::give(std::string_view piece, bool is_last) {
    base_ += piece_.size();
    piece_ = piece;
    at_ = 0;
    is_last_ = is_last;
}

std::optional<FastaReader::Part> FastaReader::next() {
    while (at_ < piece_.size()) {
        std::optional<Part> part;
        switch (state_) {
            case State::line_begin:
                part = begin_line();
                break;
            case State::header:
                part = read_header();
                break;
            case State::sequence:
                part = read_sequence();
                break;
            case State::skipped:
                skip_line();
                break;
        }
        if (part) return part;
    }
    return is_last_ && state_ == State::header ? header_ends() : std::nullopt;
}

std::optional<FastaReader::Part> FastaReader::begin_line() {
    const char c = piece_[at_];
    if (offset() == mark_bytes_ && mark_bytes_ < byte_order_mark.size()) {
        if (c == byte_order_mark[mark_bytes_]) {
            ++mark_bytes_;
            ++at_;
            return std::nullopt;
        }
        if (std::exchange(mark_bytes_, 0) > 0) {  // its first bytes were not the mark's
            state_ = State::skipped;
            return Part{Part::Kind::stray, byte_order_mark.substr(0, 1), 0};
        }
    }
    if (is_line_end(c)) {
        end_line();
        return std::nullopt;
    }
    was_return_ = false;
    state_ = State::sequence;
    if (c == ';') state_ = State::skipped;
    if (c == '>') {
        state_ = State::header;
        ++at_;
        header_.clear();
        header_begin_ = offset();
    }
    return std::nullopt;
}

std::optional<FastaReader::Part> FastaReader::read_header() {
    const std::string_view rest = piece_.substr(at_);
    const auto size = static_cast<std::size_t>(std::find_if(rest.begin(), rest.end(), is_line_end) - rest.begin());
    at_ += size;
    const bool is_split = size == rest.size() && !is_last_;
    if (!is_split && header_.empty()) {
        state_ = State::line_begin;
        has_record_ = true;
        return Part{Part::Kind::header, rest.substr(0, size), header_begin_};
    }
    header_ += rest.substr(0, std::min(size, split_header_bytes_max - header_.size()));
    return is_split ? std::nullopt : header_ends();
}

std::optional<FastaReader::Part> FastaReader::header_ends() {
    state_ = State::line_begin;
    has_record_ = true;
    return Part{Part::Kind::header, header_, header_begin_};
}

std::optional<FastaReader::Part> FastaReader::read_sequence() {
    while (at_ < piece_.size() && is_blank(piece_[at_])) ++at_;
    if (at_ == piece_.size()) return std::nullopt;
    const std::string_view rest = piece_.substr(at_);
    if (is_line_end(rest.front())) {
        end_line();
        return std::nullopt;
    }
    Part part{Part::Kind::residues, rest.substr(0, 1), offset()};
    if (!has_record_ || !is_residue(rest.front())) {
        part.kind = has_record_ ? Part::Kind::bad : Part::Kind::stray;
        state_ = State::skipped;
    } else {
        part.text = rest.substr(
            0, static_cast<std::size_t>(std::find_if_not(rest.begin(), rest.end(), is_residue) - rest.begin()));
    }
    at_ += part.text.size();
    return part;
}

void FastaReader::skip_line() {
    while (at_ < piece_.size() && !is_line_end(piece_[at_])) ++at_;
    if (at_ < piece_.size()) end_line();
}

// Takes the CR or LF. The LF behind a CR belongs to the same end.
void FastaReader::end_line() {
    const bool is_return = piece_[at_] == '\r';
    if (is_return || !was_return_) ++line_;
    was_return_ = is_return;
    ++at_;
    line_begin_ = offset();
    state_ = State::line_begin;
}

std::string_view fasta_name(std::string_view header) { return header.substr(0, header.find_first_of(" \t")); }

std::optional<bool> begins_like_fasta(std::string_view begin) {
    if (begin.size() < byte_order_mark.size() && byte_order_mark.starts_with(begin)) return std::nullopt;
    const std::size_t first = without_byte_order_mark(begin).find_first_not_of(ascii_space);
    if (first == std::string_view::npos) return std::nullopt;
    return without_byte_order_mark(begin)[first] == '>';
}

}  // namespace sluice::text
