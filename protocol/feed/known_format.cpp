#include "protocol/feed/known_format.hpp"

namespace sluice::feed {

namespace {

using namespace std::literals::string_view_literals;

constexpr std::string_view only_gzip = "only gzip is decompressed";
constexpr std::string_view no_text = "expected XML, JSON or another text";

// Each of them has bytes that no text begins with, or is too long to begin one by chance.
struct KnownFormat {
    std::string_view magic, name, remedy;
};
constexpr KnownFormat known_formats[] = {
    {"\x1F\x8B"sv, "gzip", "send it with Content-Encoding: gzip"},
    {"\xFD\x37zXZ\0"sv, "xz", only_gzip},
    {"\x28\xB5\x2F\xFD"sv, "zstd", only_gzip},
    {"PK\x03\x04"sv, "a ZIP archive", only_gzip},
    {"7z\xBC\xAF\x27\x1C"sv, "a 7z archive", only_gzip},
    {"\x89PNG\r\n\x1A\n"sv, "a PNG image", no_text},
    {"\xFF\xD8\xFF"sv, "a JPEG image", no_text},
    {"GIF87a"sv, "a GIF image", no_text},
    {"GIF89a"sv, "a GIF image", no_text},
    {"%PDF-"sv, "a PDF", no_text},
};

// The magic number, the size of its blocks in 100 kB, and the mark of the first block, or of the end if there is none.
bool is_bzip2(std::string_view bytes) {
    constexpr std::size_t level = 3;
    if (!bytes.starts_with("BZh") || bytes.size() <= level || bytes[level] < '1' || bytes[level] > '9') return false;
    const std::string_view block = bytes.substr(level + 1);
    return block.starts_with("1AY&SY") || block.starts_with("\x17\x72\x45\x38\x50\x90");
}

// The archive begins with a file's name, so that as text it could be repaired. POSIX, and as GNU tar writes it.
bool is_tar(std::string_view bytes) {
    constexpr std::size_t magic_at = 257, magic_bytes = 8;
    if (bytes.size() < magic_at + magic_bytes) return false;
    const std::string_view magic = bytes.substr(magic_at, magic_bytes);
    return magic.starts_with("ustar\0"sv) || magic == "ustar  \0"sv;
}

std::string described(std::string_view name, std::string_view remedy) {
    return "the document is " + std::string(name) + "; " + std::string(remedy);
}

}  // namespace

std::string describe_known_format(std::string_view bytes) {
    if (is_tar(bytes)) return described("a tar archive", "publish its files one by one");
    if (bytes.starts_with('<')) return {};  // most documents
    if (is_bzip2(bytes)) return described("bzip2", only_gzip);
    for (const KnownFormat& format : known_formats)
        if (bytes.starts_with(format.magic)) return described(format.name, format.remedy);
    return {};
}

}  // namespace sluice::feed
