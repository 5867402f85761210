#include "protocol/feed/encoding/encoding_clues.hpp"

#include "protocol/feed/encoding/encoding_label.hpp"
#include "protocol/text/ascii.hpp"

namespace sluice::feed {

namespace {

struct ByteOrderMark {
    std::string_view bytes;
    std::string_view encoding;
};

constexpr ByteOrderMark marks[] = {
    {"\xEF\xBB\xBF", utf8_encoding},
    {std::string_view("\xFF\xFE\0\0", 4), "UTF-32LE"},
    {std::string_view("\0\0\xFE\xFF", 4), "UTF-32BE"},
    {"\xFF\xFE", "UTF-16LE"},
    {"\xFE\xFF", "UTF-16BE"},
};

std::string_view guess_from_zeros(std::string_view bytes) {
    if (bytes.starts_with(std::string_view("<\0\0\0", 4))) return "UTF-32LE";
    if (bytes.starts_with(std::string_view("\0\0\0<", 4))) return "UTF-32BE";
    if (bytes.starts_with(std::string_view("<\0", 2))) return "UTF-16LE";
    if (bytes.starts_with(std::string_view("\0<", 2))) return "UTF-16BE";
    return {};
}

// Whether the bytes begin with neither a mark nor zeros, as most documents do.
bool begins_in_ascii(std::string_view bytes) {
    return bytes.size() >= 2 && bytes[0] != '\0' && static_cast<unsigned char>(bytes[0]) < 0x80 && bytes[1] != '\0';
}

constexpr std::string_view usual_declaration = R"(<?xml version="1.0" encoding=")";

// The XML parser checks the declaration's form.
std::string_view declared_encoding(std::string_view bytes) {
    bytes = text::trim(bytes);
    if (!bytes.starts_with("<?xml")) return {};
    bytes = bytes.substr(0, bytes.find("?>", 2));
    std::size_t open = usual_declaration.size() - 1;
    if (!bytes.starts_with(usual_declaration)) {
        constexpr std::string_view encoding = "encoding";
        const std::size_t name = bytes.find(encoding);
        if (name == std::string_view::npos) return {};
        open = bytes.find_first_of("\"'", name + encoding.size());
        if (open == std::string_view::npos) return {};
    }
    return bytes.substr(open + 1, bytes.find(bytes[open], open + 1) - open - 1);
}

}  // namespace

EncodingClues find_encoding_clues(std::string_view bytes) {
    EncodingClues clues;
    if (begins_in_ascii(bytes)) {
        clues.declared = declared_encoding(bytes);
        return clues;
    }
    for (const ByteOrderMark& mark : marks) {
        if (!bytes.starts_with(mark.bytes)) continue;
        clues.mark = mark.encoding;
        clues.mark_bytes = mark.bytes.size();
        return clues;
    }
    clues.zeros = guess_from_zeros(bytes);
    clues.declared = declared_encoding(bytes);
    return clues;
}

bool is_wide_encoding(std::string_view encoding) {
    return encoding.starts_with("UTF-16") || encoding.starts_with("UTF-32");
}

}  // namespace sluice::feed
