#include "broker/cli/client/sse_reader.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace sluice::cli {

namespace {

// Digits only, as the standard says. A day is enough.
std::optional<std::chrono::milliseconds> read_retry(std::string_view digits) {
    constexpr std::uint32_t day_ms = 86'400'000;
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
    return std::chrono::milliseconds(std::min(number, day_ms));
}

}  // namespace

bool SseReader::read(std::string_view bytes, const SseReceiver& receiver) {
    while (!bytes.empty()) {
        if (after_return_ && bytes.front() == '\n') bytes.remove_prefix(1);
        after_return_ = false;
        const auto end = bytes.find_first_of("\r\n");
        const auto piece = bytes.substr(0, end);
        if (line_.size() + piece.size() + event_.data.size() > event_bytes_max) return false;
        if (end == std::string_view::npos) {
            line_ += piece;
            return true;
        }
        after_return_ = bytes[end] == '\r';
        bytes.remove_prefix(end + 1);
        if (line_.empty()) {
            take_line(piece, receiver);
        } else {
            line_ += piece;
            take_line(line_, receiver);
            line_.clear();
        }
    }
    return true;
}

void SseReader::take_line(std::string_view line, const SseReceiver& receiver) {
    if (at_start_ && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
    at_start_ = false;
    if (line.empty()) return end_block(receiver);
    const auto colon = line.find(':');
    const auto name = line.substr(0, colon);
    auto value = colon == std::string_view::npos ? std::string_view{} : line.substr(colon + 1);
    if (value.starts_with(' ')) value.remove_prefix(1);
    if (name == "data") {
        if (has_data_) event_.data += '\n';
        event_.data += value;
        has_data_ = true;
    } else if (name == "event") {
        event_.type = value.empty() ? "message" : value;
    } else if (name == "id" && value.find('\0') == std::string_view::npos) {
        event_.id = value;
        has_id_ = true;
    } else if (name == "retry") {
        if (const auto retry = read_retry(value)) retry_ = retry;
    }
}

void SseReader::end_block(const SseReceiver& receiver) {
    if (has_data_) receiver.event(event_);
    if (has_id_ && receiver.last_id) receiver.last_id(event_.id);
    event_.type = "message";
    event_.data.clear();
    has_data_ = has_id_ = false;
}

}  // namespace sluice::cli
