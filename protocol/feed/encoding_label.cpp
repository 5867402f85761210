#include "protocol/feed/encoding_label.hpp"

#include <algorithm>
#include <iterator>

#include "protocol/text/ascii.hpp"

namespace sluice {

namespace {

struct EncodingLabel {
    std::string_view label;
    std::string_view iconv_name;
};

constexpr EncodingLabel labels[] = {
    {"utf-8", utf8_encoding},
    {"utf8", utf8_encoding},
    {"unicode-1-1-utf-8", utf8_encoding},
    {"us-ascii", utf8_encoding},
    {"ascii", utf8_encoding},
    {"utf-16", "UTF-16BE"},
    {"utf-16le", "UTF-16LE"},
    {"utf-16be", "UTF-16BE"},
    {"ucs-2", "UTF-16BE"},
    {"iso-10646-ucs-2", "UTF-16BE"},
    {"utf-32", "UTF-32BE"},
    {"utf-32le", "UTF-32LE"},
    {"utf-32be", "UTF-32BE"},
    {"iso-8859-1", latin1_encoding},
    {"iso8859-1", latin1_encoding},
    {"iso_8859-1", latin1_encoding},
    {"latin1", latin1_encoding},
    {"latin-1", latin1_encoding},
    {"windows-1252", latin1_encoding},
    {"cp1252", latin1_encoding},
    {"iso-8859-2", "ISO-8859-2"},
    {"latin2", "ISO-8859-2"},
    {"iso-8859-3", "ISO-8859-3"},
    {"iso-8859-4", "ISO-8859-4"},
    {"iso-8859-5", "ISO-8859-5"},
    {"iso-8859-6", "ISO-8859-6"},
    {"iso-8859-7", "ISO-8859-7"},
    {"iso-8859-8", "ISO-8859-8"},
    {"iso-8859-9", "CP1254"},
    {"iso-8859-10", "ISO-8859-10"},
    {"iso-8859-11", "CP874"},
    {"tis-620", "CP874"},
    {"windows-874", "CP874"},
    {"iso-8859-13", "ISO-8859-13"},
    {"iso-8859-14", "ISO-8859-14"},
    {"iso-8859-15", "ISO-8859-15"},
    {"latin9", "ISO-8859-15"},
    {"iso-8859-16", "ISO-8859-16"},
    {"windows-1250", "CP1250"},
    {"cp1250", "CP1250"},
    {"windows-1251", "CP1251"},
    {"cp1251", "CP1251"},
    {"windows-1253", "CP1253"},
    {"windows-1254", "CP1254"},
    {"windows-1255", "CP1255"},
    {"windows-1256", "CP1256"},
    {"windows-1257", "CP1257"},
    {"windows-1258", "CP1258"},
    {"koi8-r", "KOI8-R"},
    {"koi8-u", "KOI8-U"},
    {"ibm866", "CP866"},
    {"cp866", "CP866"},
    {"macintosh", "MACINTOSH"},
    {"shift_jis", "CP932"},
    {"shift-jis", "CP932"},
    {"sjis", "CP932"},
    {"windows-31j", "CP932"},
    {"euc-jp", "EUC-JP"},
    {"iso-2022-jp", "ISO-2022-JP"},
    {"gb2312", "GB18030"},
    {"gbk", "GB18030"},
    {"gb18030", "GB18030"},
    {"big5", "BIG5-HKSCS"},
    {"big5-hkscs", "BIG5-HKSCS"},
    {"euc-kr", "CP949"},
    {"ks_c_5601-1987", "CP949"},
    {"windows-949", "CP949"},
};

}  // namespace

std::string_view encoding_by_label(std::string_view label) {
    const std::string lower = ascii_lower(label);
    const auto* found = std::find_if(std::begin(labels), std::end(labels),
                                     [&](const EncodingLabel& known) { return known.label == lower; });
    return found == std::end(labels) ? std::string_view() : found->iconv_name;
}

}  // namespace sluice
