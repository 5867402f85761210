#include "broker/core/ingest/gunzip.hpp"

#include <algorithm>
#include <memory>
#include <zlib.h>

namespace sluice::broker {

namespace {

constexpr std::string_view magic = "\x1F\x8B";
constexpr int gzip_only = 16 + MAX_WBITS;
constexpr std::size_t first_bytes = 64u << 10;
constexpr std::size_t state_bytes = 48u << 10;  // zlib's internal state

// Zero bytes behind the last member, as gzip itself ignores them: tapes have blocks. Nothing is padding, too.
bool is_padding(std::string_view rest) { return rest.find_first_not_of('\0') == std::string_view::npos; }

struct EndInflate {
    void operator()(z_stream* stream) const { inflateEnd(stream); }
};

}  // namespace

boost::system::result<std::string, GunzipError> gunzip(std::string_view compressed, std::size_t bytes_max,
                                                       const GunzipRoom& has_room) {
    if (!magic.starts_with(compressed.substr(0, magic.size()))) return GunzipError::not_gzip;
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
            if (is_padding(compressed.substr(compressed.size() - stream.avail_in))) break;
            inflateReset(&stream);
        } else if (status != Z_OK) {
            return GunzipError::corrupt;
        }
    }
    out.resize(filled);
    return out;
}

}  // namespace sluice::broker
