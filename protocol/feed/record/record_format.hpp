// The constants of the record format (record_codec.hpp), shared by its writer and its reader. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sluice::feed::record_format {

inline constexpr std::string_view magic = "SLEV";
inline constexpr std::uint8_t major_version = 1;
inline constexpr std::uint8_t minor_version = 0;
inline constexpr std::size_t length_offset = 6;
inline constexpr std::size_t header_bytes = 10;
inline constexpr std::size_t field_header_bytes = 6;
inline constexpr std::size_t event_bytes = 53;

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
    events,
};

}  // namespace sluice::feed::record_format
