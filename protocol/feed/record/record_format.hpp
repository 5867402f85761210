// The constants and the checksum of the record format (record_codec.hpp), shared by its writer and its reader. Any
// thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "protocol/text/crc32c.hpp"

namespace sluice::feed::record_format {

inline constexpr std::string_view magic = "SLEV";
inline constexpr std::uint8_t major_version = 1;
inline constexpr std::uint8_t minor_version = 1;         // the oldest that is read
inline constexpr std::uint8_t erased_minor_version = 2;  // of what has the field `erased`
inline constexpr std::size_t length_offset = 6;
inline constexpr std::size_t header_bytes = 10;
inline constexpr std::size_t field_header_bytes = 6;
inline constexpr std::size_t checksum_bytes = 4;
inline constexpr std::size_t limits_bytes = 40;
inline constexpr std::size_t event_bytes = 57;
inline constexpr std::size_t erased_bytes = 4;        // of each event in the field
inline constexpr std::size_t dead_letter_bytes = 20;  // without its texts

enum class Tag : std::uint16_t {
    text = 1,
    content_type,
    event_path,
    context,
    feed_title,
    feed_link,
    feed_author,
    owner,
    trace_parent,
    trace_state,
    repairs,
    attribute,
    limits,
    events,
    dead_letter,
    erased,
};

// The last bytes of an append with these others.
inline std::string checksum_of(std::string_view bytes) {
    const std::uint32_t crc = text::crc32c(bytes);
    std::string checksum;
    for (std::size_t i = 0; i < checksum_bytes; ++i) checksum += static_cast<char>(crc >> 8 * i & 0xFF);
    return checksum;
}

}  // namespace sluice::feed::record_format
