#include "broker/cli/sent_lines.hpp"

#include <algorithm>

#include "protocol/text/ascii.hpp"

namespace sluice::cli {

std::optional<std::size_t> SentLines::read(char* room, std::size_t bytes) {
    std::size_t filled = 0;
    while (filled < bytes && (!rest_.empty() || begin_line())) {
        const std::string_view piece = rest_.substr(0, bytes - filled);
        std::copy(piece.begin(), piece.end(), room + filled);
        rest_.remove_prefix(piece.size());
        filled += piece.size();
    }
    if (filled == 0 && !has_ended_) return std::nullopt;
    return filled;
}

bool SentLines::is_ready() {
    if (!rest_.empty() || !refused_.empty() || has_ended_ || stops_()) return true;
    return next_ < lines_.size() || (!is_full() && source_.is_ready());
}

std::optional<SentLine> SentLines::take_only_line() {
    if (!source_.has_one_line() || !begin_line() || begun_ == nullptr) return std::nullopt;
    rest_ = {};
    next_ = 0;
    return take_first(lines_);
}

std::optional<SentLine> SentLines::take_answered(std::uint64_t number) {
    if (next_ == 0 || lines_.front().number != number) return std::nullopt;
    const bool is_sent = begun_ != &lines_.front() || rest_.empty();
    if (!is_sent) return std::nullopt;
    --next_;
    return take_first(lines_);
}

void SentLines::keep_refused(SentLine line) {
    bytes_ += line.text.size();
    refused_.push_back(std::move(line));
}

std::optional<SentLine> SentLines::take_refused() {
    if (refused_.empty()) return std::nullopt;
    return take_first(refused_);
}

void SentLines::begin_again() {
    next_ = 0;
    rest_ = {};
    begun_ = nullptr;
}

// Returns false if there is no line to be sent now.
bool SentLines::begin_line() {
    if (stops_()) {
        has_ended_ = true;
        return false;
    }
    if (next_ == lines_.size() && !take_line()) return false;
    begun_ = next_ < lines_.size() ? &lines_[next_++] : nullptr;
    rest_ = begun_ != nullptr ? std::string_view(begun_->text) : std::string_view(blank_);
    return true;
}

// From the source, to be sent next. Returns false if there is none now.
bool SentLines::take_line() {
    if (has_ended_ || !refused_.empty() || is_full()) return false;
    std::optional<std::string> text = source_.next_line();
    if (!text) return false;
    has_ended_ = !text->ends_with('\n');  // nothing follows, and the broker answers when it is told so
    if (text->empty()) return false;
    ++line_;
    if (text::trim(*text).empty()) {
        blank_ = std::move(*text);
        return true;
    }
    bytes_ += text->size();
    lines_.push_back({++number_, line_, std::move(*text)});
    return true;
}

SentLine SentLines::take_first(std::deque<SentLine>& from) {
    SentLine line = std::move(from.front());
    from.pop_front();
    bytes_ -= line.text.size();
    return line;
}

}  // namespace sluice::cli
