#include "protocol/feed/encoding/encoding_index.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cwchar>
#include <iconv.h>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "protocol/feed/encoding/encoding_corrections.hpp"

namespace sluice::feed {

namespace {

struct PointerBytes {
    std::array<char, 4> bytes{};
    std::size_t length = 0;
};

template <typename... Numbers>
constexpr PointerBytes make_bytes(Numbers... numbers) {
    return {{static_cast<char>(numbers)...}, sizeof...(numbers)};
}

PointerBytes one_byte(std::size_t pointer) { return make_bytes(pointer + 0x80); }

PointerBytes big5_bytes(std::size_t pointer) {
    const std::size_t trail = pointer % 157;
    return make_bytes(pointer / 157 + 0x81, trail + (trail < 0x3F ? 0x40 : 0x62));
}

PointerBytes euc_kr_bytes(std::size_t pointer) { return make_bytes(pointer / 190 + 0x81, pointer % 190 + 0x41); }

PointerBytes gb18030_bytes(std::size_t pointer) {
    const std::size_t trail = pointer % 190;
    return make_bytes(pointer / 190 + 0x81, trail + (trail < 0x3F ? 0x40 : 0x41));
}

PointerBytes gb18030_four_bytes(std::size_t pointer) {
    return make_bytes(pointer / 12'600 + 0x81, pointer / 1260 % 10 + 0x30, pointer / 10 % 126 + 0x81,
                      pointer % 10 + 0x30);
}

PointerBytes shift_jis_bytes(std::size_t pointer) {
    const std::size_t lead = pointer / 188, trail = pointer % 188;
    return make_bytes(lead + (lead < 0x1F ? 0x81 : 0xC1), trail + (trail < 0x3F ? 0x40 : 0x41));
}

PointerBytes jis0212_bytes(std::size_t pointer) { return make_bytes(0x8F, pointer / 94 + 0xA1, pointer % 94 + 0xA1); }

struct IndexSource {
    std::string_view name;
    const char* iconv_name;
    PointerBytes (*bytes_of)(std::size_t pointer) = one_byte;
    std::size_t pointers = 128;
};

// The charset of iconv that is nearest to each index.
constexpr IndexSource index_sources[] = {
    {"Big5", "BIG5-HKSCS", big5_bytes, 126 * 157},
    {"EUC-KR", "CP949", euc_kr_bytes, 126 * 190},
    {"gb18030", "GB18030", gb18030_bytes, 126 * 190},
    {"gb18030-ranges", "GB18030", gb18030_four_bytes, 39'420},
    {"jis0208", "CP932", shift_jis_bytes, 60 * 188},
    {"jis0212", "EUC-JP", jis0212_bytes, 94 * 94},
    {"IBM866", "CP866"},
    {"ISO-8859-2", "ISO-8859-2"},
    {"ISO-8859-3", "ISO-8859-3"},
    {"ISO-8859-4", "ISO-8859-4"},
    {"ISO-8859-5", "ISO-8859-5"},
    {"ISO-8859-6", "ISO-8859-6"},
    {"ISO-8859-7", "ISO-8859-7"},
    {"ISO-8859-8", "ISO-8859-8"},
    {"ISO-8859-10", "ISO-8859-10"},
    {"ISO-8859-13", "ISO-8859-13"},
    {"ISO-8859-14", "ISO-8859-14"},
    {"ISO-8859-15", "ISO-8859-15"},
    {"ISO-8859-16", "ISO-8859-16"},
    {"KOI8-R", "KOI8-R"},
    {"KOI8-U", "KOI8-U"},
    {"macintosh", "MACINTOSH"},
    {"windows-874", "CP874"},
    {"windows-1250", "CP1250"},
    {"windows-1251", "CP1251"},
    {"windows-1253", "CP1253"},
    {"windows-1254", "CP1254"},
    {"windows-1255", "CP1255"},
    {"windows-1256", "CP1256"},
    {"windows-1257", "CP1257"},
    {"windows-1258", "CP1258"},
    {"x-mac-cyrillic", "MAC-UK"},
};

using IconvHandle = std::unique_ptr<std::remove_pointer_t<iconv_t>, int (*)(iconv_t)>;

IconvHandle open_iconv(const char* from) {
    const iconv_t handle = iconv_open("WCHAR_T", from);
    if (handle == reinterpret_cast<iconv_t>(-1))  // iconv's API
        throw std::runtime_error(std::string("iconv lacks ") + from);
    return {handle, iconv_close};
}

// 0 if iconv makes of the bytes nothing, or several characters.
char32_t ask_iconv(iconv_t handle, PointerBytes character) {
    std::array<wchar_t, 8> wide{};
    char* in = character.bytes.data();
    char* out = reinterpret_cast<char*>(wide.data());  // iconv's API
    std::size_t in_left = character.length, out_left = sizeof wide;
    const bool is_known = iconv(handle, &in, &in_left, &out, &out_left) != static_cast<std::size_t>(-1);
    iconv(handle, nullptr, nullptr, &out, &out_left);  // some wait for a combining mark
    return is_known && out_left == sizeof wide - sizeof wide[0] ? static_cast<char32_t>(wide[0]) : 0;
}

EncodingIndex build_index(const IndexSource& source) {
    const IconvHandle handle = open_iconv(source.iconv_name);
    EncodingIndex index(source.pointers);
    for (std::size_t pointer = 0; pointer < index.size(); ++pointer)
        index[pointer] = ask_iconv(handle.get(), source.bytes_of(pointer));
    correct_index(source.name, index);
    return index;
}

// A failure throws, and is tried again when the index is next wanted.
template <std::size_t n>
const EncodingIndex* built_index() {
    static const EncodingIndex index = build_index(index_sources[n]);
    return &index;
}

template <std::size_t... n>
const EncodingIndex* built_index(std::size_t number, std::index_sequence<n...>) {
    static constexpr const EncodingIndex* (*indexes[])() = {built_index<n>...};
    return indexes[number]();
}

const EncodingIndex* index_of(const IndexSource* source) {
    if (source == std::end(index_sources)) return nullptr;
    try {
        return built_index(static_cast<std::size_t>(source - index_sources),
                           std::make_index_sequence<std::size(index_sources)>());
    } catch (const std::runtime_error&) {
        return nullptr;
    }
}

const IndexSource* find_source(std::string_view name) {
    return std::find_if(std::begin(index_sources), std::end(index_sources),
                        [&](const IndexSource& source) { return source.name == name; });
}

}  // namespace

const EncodingIndex* encoding_index(std::string_view name) { return index_of(find_source(name)); }

const EncodingIndex* single_byte_index(std::string_view encoding) {
    const IndexSource* source = find_source(encoding);
    return source != std::end(index_sources) && source->bytes_of == one_byte ? index_of(source) : nullptr;
}

}  // namespace sluice::feed
