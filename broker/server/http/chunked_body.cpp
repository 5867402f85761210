#include "broker/server/http/chunked_body.hpp"

#include <algorithm>
#include <charconv>

namespace sluice::server {

namespace {

// Contains no control character that another parser might read as a line end.
bool is_field_text(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return (byte >= 0x20 && byte != 0x7f) || byte == '\t';
    });
}

bool is_field_line(std::string_view line) {
    const std::size_t colon = line.find(':');
    if (colon == 0 || colon == std::string_view::npos) return false;
    const std::string_view name = line.substr(0, colon);
    return std::all_of(name.begin(), name.end(), is_token_character) && is_field_text(line.substr(colon));
}

// Returns false if the number has no digits or exceeds 64 bits.
bool read_hexadecimal(std::string_view text, std::uint64_t& number, std::string_view& rest) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, 16);
    rest = text.substr(static_cast<std::size_t>(end - text.data()));
    return error == std::errc();
}

}  // namespace

bool is_token_character(char c) {
    constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           marks.find(c) != std::string_view::npos;
}

ChunkedBody::Step ChunkedBody::read(std::string_view& input, std::string& body, std::size_t body_bytes_max) {
    Step step = Step::more;
    for (bool goes_on = true; goes_on;) {
        const std::size_t before = input.size();
        const Expects expected = expects_;
        if (expects_ == Expects::size)
            step = read_size(input, body_bytes_max - body.size());
        else if (expects_ == Expects::data)
            step = read_data(input, body);
        else if (expects_ == Expects::data_end)
            step = read_data_end(input);
        else
            step = read_trailer(input);
        goes_on = step == Step::more && (input.size() != before || expects_ != expected);
    }
    return step;
}

ChunkedBody::Step ChunkedBody::refuse(std::string_view fault) {
    fault_ = fault;
    return Step::malformed;
}

ChunkedBody::Step ChunkedBody::take_line(std::string_view& input, std::size_t bytes_max, std::string_view& line) {
    const std::size_t end = input.substr(0, bytes_max).find('\n');
    if (end == std::string_view::npos) return input.size() < bytes_max ? Step::more : Step::too_large;
    if (end == 0 || input[end - 1] != '\r') return refuse("a line ends with LF alone");
    line = input.substr(0, end - 1);
    input.remove_prefix(end + 1);
    return Step::done;
}

ChunkedBody::Step ChunkedBody::read_size(std::string_view& input, std::size_t room) {
    std::string_view line, extensions;
    const Step taken = take_line(input, chunk_line_bytes_max, line);
    if (taken == Step::too_large) return refuse("a chunk's size and extensions are too long");
    if (taken != Step::done) return taken;
    if (!read_hexadecimal(line, remaining_, extensions)) return refuse("a chunk has no valid size");
    const std::size_t text = extensions.find_first_not_of(" \t");
    if (!extensions.empty() &&
        (text == std::string_view::npos || extensions[text] != ';' || !is_field_text(extensions)))
        return refuse("a chunk's size is followed by something that is not an extension");
    if (remaining_ > room) return Step::too_large;
    const std::uint64_t usual_bytes = 16 + 2 * remaining_;  // one-byte chunks are odd, but legitimate
    excess_bytes_ = std::max(excess_bytes_ + line.size() + 4, usual_bytes) - usual_bytes;
    if (excess_bytes_ > chunk_excess_bytes_max) return refuse("the chunks' extensions are too long");
    expects_ = remaining_ == 0 ? Expects::trailer : Expects::data;
    return Step::more;
}

ChunkedBody::Step ChunkedBody::read_data(std::string_view& input, std::string& body) {
    const std::size_t taken = std::min<std::uint64_t>(remaining_, input.size());
    body.append(input.substr(0, taken));
    input.remove_prefix(taken);
    remaining_ -= taken;
    if (remaining_ == 0) expects_ = Expects::data_end;
    return Step::more;
}

ChunkedBody::Step ChunkedBody::read_data_end(std::string_view& input) {
    constexpr std::string_view line_end = "\r\n";
    const std::string_view found = input.substr(0, line_end.size());
    if (!line_end.starts_with(found)) return refuse("a chunk's data does not end where its size says");
    if (found.size() < line_end.size()) return Step::more;
    input.remove_prefix(line_end.size());
    expects_ = Expects::size;
    return Step::more;
}

ChunkedBody::Step ChunkedBody::read_trailer(std::string_view& input) {
    std::string_view line;
    const Step taken = take_line(input, trailer_bytes_max - trailer_bytes_, line);
    if (taken == Step::too_large) return Step::trailer_too_large;
    if (taken != Step::done) return taken;
    if (line.empty()) return Step::done;
    if (!is_field_line(line)) return refuse("a trailer is not a field");
    trailer_bytes_ += line.size() + 2;
    return Step::more;
}

}  // namespace sluice::server
