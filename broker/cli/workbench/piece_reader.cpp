#include "broker/cli/workbench/piece_reader.hpp"

#include <algorithm>
#include <cstring>

#include "broker/cli/common/fasta.hpp"
#include "broker/cli/common/input.hpp"
#include "protocol/text/ascii.hpp"

namespace sluice::cli {

namespace {

constexpr std::size_t raw_bytes = std::size_t{1} << 20;

}  // namespace

PieceReader::PieceReader(const std::string& path, std::size_t own_bytes, std::size_t overlap_bytes,
                         std::function<bool()> is_stopped, FileKind kind, LetterCase letter_case)
    : own_bytes_(own_bytes),
      capacity_(own_bytes + overlap_bytes),
      buffer_(new char[capacity_]),
      file_(path, std::move(is_stopped)),
      letter_case_(letter_case),
      is_detected_(kind == FileKind::plain || has_fasta_name(inner_name(path))) {
    if (kind == FileKind::detect && is_detected_) fasta_.emplace();
}

std::optional<FilePiece> PieceReader::next() {
    std::memmove(buffer_.get(), buffer_.get() + own_, size_ - own_);
    offset_ += own_;
    size_ -= own_;
    own_ = 0;
    const std::size_t seen = size_;
    if (!is_detected_) detect();
    fasta_ ? fill_joined() : fill();
    if (letter_case_ == LetterCase::lower)
        std::transform(buffer_.get() + seen, buffer_.get() + size_, buffer_.get() + seen,
                       [](char c) { return text::ascii_lower(c); });
    const bool is_whole = size_ == capacity_ || file_.has_ended() || ends_at_record_;
    if (!error().empty() || size_ == 0 || !is_whole || (fasta_ && !fasta_->error().empty())) return std::nullopt;
    own_ = std::min(own_bytes_, size_);
    return FilePiece{{buffer_.get(), size_}, own_, offset_};
}

// Reads until the buffer is full, or the file ends; less after an error and when stopped.
void PieceReader::fill() {
    if (size_ < capacity_) size_ += file_.read_fully(buffer_.get() + size_, capacity_ - size_);
}

// Reads as much as tells whether the file is FASTA.
void PieceReader::detect() {
    std::optional<bool> is_fasta;
    while (!(is_fasta = text::begins_like_fasta({buffer_.get(), size_})) && size_ < capacity_ && !file_.has_ended()) {
        const std::size_t size = file_.read(buffer_.get() + size_, capacity_ - size_);
        if (size == 0 && !file_.has_ended()) return;
        size_ += size;
    }
    is_detected_ = true;
    if (!is_fasta.value_or(false)) return;
    fasta_.emplace();
    raw_.assign(buffer_.get(), size_);
    size_ = 0;
    fasta_->give(raw_, file_.has_ended());
}

void PieceReader::fill_joined() {
    ends_at_record_ = false;
    fasta_->forget_before(offset_);
    while (size_ < capacity_ && !ends_at_record_ && fasta_->error().empty()) {
        const std::size_t size = fasta_->take(buffer_.get() + size_, capacity_ - size_);
        size_ += size;
        ends_at_record_ = fasta_->stopped_at_record() && size_ > 0;
        if (size > 0 || fasta_->stopped_at_record()) continue;
        if (file_.has_ended()) return;
        raw_.resize(raw_bytes);
        const std::size_t raw = file_.read(raw_.data(), raw_.size());
        if (raw == 0 && !file_.has_ended()) return;
        raw_.resize(raw);
        fasta_->give(raw_, file_.has_ended());
    }
}

}  // namespace sluice::cli
