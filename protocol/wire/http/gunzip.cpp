#include "protocol/wire/http/gunzip.hpp"

#include <algorithm>
#include <memory>
#include <zlib.h>

namespace sluice::wire {

namespace {

constexpr int gzip_only = 16 + MAX_WBITS;
constexpr std::size_t first_bytes = 64u << 10;
constexpr std::size_t state_bytes = 48u << 10;  // zlib's internal state

struct EndInflate {
    void operator()(z_stream* stream) const { inflateEnd(stream); }
};

constexpr std::string_view magic = "\x1F\x8B";

bool begins_member(std::string_view bytes) {
    const std::size_t shown = std::min(bytes.size(), magic.size());
    return bytes.substr(0, shown) == magic.substr(0, shown);
}

std::string_view unread(const z_stream& stream) {
    return {reinterpret_cast<const char*>(stream.next_in), stream.avail_in};
}

void skip_zeros(z_stream& stream) {
    const std::string_view rest = unread(stream);
    const std::size_t zeros = std::min(rest.find_first_not_of('\0'), rest.size());
    stream.next_in += zeros;
    stream.avail_in -= static_cast<uInt>(zeros);
}

// RFC 1950: deflate's method and a window, and a sum that 31 divides.
bool begins_as_zlib(std::string_view bytes) {
    if (bytes.size() < 2) return false;
    const unsigned first = static_cast<unsigned char>(bytes[0]), second = static_cast<unsigned char>(bytes[1]);
    return (first & 0x0F) == 8 && first >> 4 <= 7 && (first * 256 + second) % 31 == 0;
}

std::string first_bytes_of(std::string_view bytes) {
    constexpr std::size_t shown = 4;
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    for (const char c : bytes.substr(0, shown)) {
        const unsigned byte = static_cast<unsigned char>(c);
        text.append(1, ' ').append(1, digits[byte >> 4]).append(1, digits[byte & 15]);
    }
    return text;
}

}  // namespace

std::string describe(GunzipError error, std::string_view compressed) {
    switch (error) {
        case GunzipError::not_gzip:
            return begins_as_zlib(compressed)
                       ? "is not gzip: it begins as zlib (\"deflate\") does, which is not supported"
                       : "is not gzip: it begins with the bytes" + first_bytes_of(compressed) + ", not with 1f 8b";
        case GunzipError::truncated:
            return "is cut off: it is not complete and valid gzip";
        case GunzipError::trailing:
            return "is gzip with something behind it that is neither another member nor zeros";
        default:
            return "is damaged: it is not complete and valid gzip";
    }
}

boost::system::result<std::string, GunzipError> gunzip(std::string_view compressed, std::size_t bytes_max,
                                                       const GunzipRoom& has_room) {
    if (compressed.empty()) return GunzipError::truncated;
    if (!begins_member(compressed)) return GunzipError::not_gzip;
    z_stream stream{};
    if (inflateInit2(&stream, gzip_only) != Z_OK) throw std::bad_alloc();
    const std::unique_ptr<z_stream, EndInflate> end(&stream);
    // zlib only reads through next_in, but its type is not const; the body is far below 4 GiB.
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(compressed.data()));
    stream.avail_in = static_cast<uInt>(compressed.size());
    std::string out;
    std::size_t filled = 0;
    for (;;) {
        // One byte above the bound suffices to detect an oversized body.
        if (filled == out.size()) {
            const std::size_t next = std::min(bytes_max + 1, std::max(first_bytes, out.size() * 2));
            if (has_room && !has_room(out.size() + next + state_bytes)) return GunzipError::no_room;
            out.resize(next);
        }
        stream.next_out = reinterpret_cast<Bytef*>(out.data() + filled);
        stream.avail_out = static_cast<uInt>(out.size() - filled);
        const int status = inflate(&stream, Z_NO_FLUSH);
        filled = out.size() - stream.avail_out;
        if (filled > bytes_max) return GunzipError::too_large;
        if (status == Z_STREAM_END) {
            skip_zeros(stream);
            if (stream.avail_in == 0) break;
            if (!begins_member(unread(stream))) return GunzipError::trailing;
            inflateReset(&stream);
        } else if (status == Z_BUF_ERROR && stream.avail_in == 0) {
            return GunzipError::truncated;
        } else if (status != Z_OK) {
            return GunzipError::corrupt;
        }
    }
    out.resize(filled);
    return out;
}

}  // namespace sluice::wire
