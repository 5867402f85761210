// Decodes a body of Transfer-Encoding: chunked (RFC 9112, section 7.1) from pieces of any size. Strict about line ends,
// because a proxy that reads them differently may see two requests in one. Extensions and trailers are bounded and
// discarded. Throws only bad_alloc. Belongs to a RequestReader.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sluice::server {

// Limits on chunk lines and trailers, that is, everything except the data of a body.
inline constexpr std::size_t chunk_line_bytes_max = 1u << 10;
inline constexpr std::size_t trailer_bytes_max = 8u << 10;
// More than chunks of a few bytes need, yet extensions can't turn a small body into gigabytes of lines.
inline constexpr std::size_t chunk_excess_bytes_max = 16u << 10;

bool is_token_character(char c);  // methods and field names consist of these

class ChunkedBody {
public:
    enum class Step : std::uint8_t { more, done, too_large, malformed, trailer_too_large };

    // Appends the body data in `input` to `body`, and removes what was read from `input`. After Step::more, call again
    // with the rest of the input and further bytes. `body` never grows beyond `body_bytes_max`.
    Step read(std::string_view& input, std::string& body, std::size_t body_bytes_max);

    std::string_view fault() const { return fault_; }  // of a malformed body

private:
    enum class Expects : std::uint8_t { size, data, data_end, trailer };

    Step read_size(std::string_view& input, std::size_t room);
    Step read_data(std::string_view& input, std::string& body);
    Step read_data_end(std::string_view& input);
    Step read_trailer(std::string_view& input);
    Step refuse(std::string_view fault);
    // Removes a line from the input. Step::more: the line is incomplete. `line` excludes the line end.
    Step take_line(std::string_view& input, std::size_t bytes_max, std::string_view& line);

    Expects expects_ = Expects::size;
    std::uint64_t remaining_ = 0;  // of the chunk's data
    std::uint64_t excess_bytes_ = 0;
    std::size_t trailer_bytes_ = 0;
    std::string_view fault_;
};

}  // namespace sluice::server
