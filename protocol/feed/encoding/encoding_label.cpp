#include "protocol/feed/encoding/encoding_label.hpp"

#include <algorithm>
#include <string>

#include "protocol/text/ascii.hpp"

namespace sluice::feed {

namespace {

struct EncodingLabels {
    std::string_view name;
    std::string_view labels;  // separated by spaces
};

// The labels of the WHATWG Encoding Standard, and a few that feeds use beside them: latin-1, utf_8, cp932, cp936,
// cp949, cp950, UTF-32. Three names differ from the standard's on purpose. US-ASCII is UTF-8 here, not windows-1252,
// since "text/xml; charset=us-ascii" is what servers said of any XML. The standard replaces whole documents in
// ISO-2022-KR and ISO-2022-CN by one U+FFFD, since they can hide markup from filters of web pages; here they are read.
// "hz-gb-2312" and "replacement", which it treats alike, are unknown, and so refused.
constexpr EncodingLabels encodings[] = {
    {utf8_encoding,
     "ansi_x3.4-1968 ascii unicode-1-1-utf-8 unicode11utf8 unicode20utf8 us-ascii utf-8 utf8 utf_8 x-unicode20utf8"},
    {"IBM866", "866 cp866 csibm866 ibm866"},
    {"ISO-8859-2", "csisolatin2 iso-8859-2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 l2 latin2"},
    {"ISO-8859-3", "csisolatin3 iso-8859-3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 l3 latin3"},
    {"ISO-8859-4", "csisolatin4 iso-8859-4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 l4 latin4"},
    {"ISO-8859-5", "csisolatincyrillic cyrillic iso-8859-5 iso-ir-144 iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988"},
    {"ISO-8859-6",
     "arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6 iso-8859-6-e "
     "iso-8859-6-i iso-ir-127 iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987"},
    {"ISO-8859-7",
     "csisolatingreek ecma-118 elot_928 greek greek8 iso-8859-7 iso-ir-126 iso8859-7 iso88597 "
     "iso_8859-7 iso_8859-7:1987 sun_eu_greek"},
    {"ISO-8859-8",
     "csiso88598e csiso88598i csisolatinhebrew hebrew iso-8859-8 iso-8859-8-e iso-8859-8-i iso-ir-138 "
     "iso8859-8 iso88598 iso_8859-8 iso_8859-8:1988 logical visual"},
    {"ISO-8859-10", "csisolatin6 iso-8859-10 iso-ir-157 iso8859-10 iso885910 l6 latin6"},
    {"ISO-8859-13", "iso-8859-13 iso8859-13 iso885913"},
    {"ISO-8859-14", "iso-8859-14 iso8859-14 iso885914"},
    {"ISO-8859-15", "csisolatin9 iso-8859-15 iso8859-15 iso885915 iso_8859-15 l9"},
    {"ISO-8859-16", "iso-8859-16"},
    {"KOI8-R", "cskoi8r koi koi8 koi8-r koi8_r"},
    {"KOI8-U", "koi8-ru koi8-u"},
    {"macintosh", "csmacintosh mac macintosh x-mac-roman"},
    {"windows-874", "dos-874 iso-8859-11 iso8859-11 iso885911 tis-620 windows-874"},
    {"windows-1250", "cp1250 windows-1250 x-cp1250"},
    {"windows-1251", "cp1251 windows-1251 x-cp1251"},
    {latin1_encoding,
     "cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 iso88591 "
     "iso_8859-1 iso_8859-1:1987 l1 latin-1 latin1 windows-1252 x-cp1252"},
    {"windows-1253", "cp1253 windows-1253 x-cp1253"},
    {"windows-1254",
     "cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 l5 "
     "latin5 windows-1254 x-cp1254"},
    {"windows-1255", "cp1255 windows-1255 x-cp1255"},
    {"windows-1256", "cp1256 windows-1256 x-cp1256"},
    {"windows-1257", "cp1257 windows-1257 x-cp1257"},
    {"windows-1258", "cp1258 windows-1258 x-cp1258"},
    {"x-mac-cyrillic", "x-mac-cyrillic x-mac-ukrainian"},
    {"GBK", "chinese cp936 csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 gbk iso-ir-58 x-gbk"},
    {"gb18030", "gb18030"},
    {"Big5", "big5 big5-hkscs cn-big5 cp950 csbig5 x-x-big5"},
    {"EUC-JP", "cseucpkdfmtjapanese euc-jp x-euc-jp"},
    {"ISO-2022-JP", "csiso2022jp iso-2022-jp"},
    {"Shift_JIS", "cp932 csshiftjis ms932 ms_kanji shift-jis shift_jis sjis windows-31j x-sjis"},
    {"EUC-KR",
     "cp949 cseuckr csksc56011987 euc-kr iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 "
     "ksc_5601 windows-949"},
    {"ISO-2022-KR", "csiso2022kr iso-2022-kr"},
    {"UTF-16BE", "unicodefffe utf-16be"},
    {"UTF-16LE", "csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le"},
    {"UTF-32BE", "utf-32 utf-32be"},
    {"UTF-32LE", "utf-32le"},
    {"ISO-2022-CN", "iso-2022-cn"},
    {"ISO-2022-CN-EXT", "iso-2022-cn-ext"},
    {"x-user-defined", "x-user-defined"},
};

// A form feed, too, is white space in a label.
constexpr std::string_view label_space = " \t\n\f\r";

std::string_view trimmed_label(std::string_view label) {
    const std::size_t begin = label.find_first_not_of(label_space);
    if (begin == std::string_view::npos) return {};
    return label.substr(begin, label.find_last_not_of(label_space) - begin + 1);
}

bool contains_label(std::string_view labels, std::string_view label) {
    for (std::size_t at = 0; at < labels.size();) {
        const std::size_t end = std::min(labels.find(' ', at), labels.size());
        if (labels.substr(at, end - at) == label) return true;
        at = end + 1;
    }
    return false;
}

}  // namespace

std::string_view encoding_by_label(std::string_view label) {
    if (is_usual_label(label)) return utf8_encoding;
    const std::string lower = text::ascii_lower(trimmed_label(label));
    for (const EncodingLabels& encoding : encodings) {
        if (contains_label(encoding.labels, lower)) return encoding.name;
    }
    return {};
}

bool is_usual_label(std::string_view label) {
    constexpr std::string_view usual = "utf-8";
    return label.size() == usual.size() && std::equal(label.begin(), label.end(), usual.begin(),
                                                      [](char c, char lower) { return text::ascii_lower(c) == lower; });
}

}  // namespace sluice::feed
