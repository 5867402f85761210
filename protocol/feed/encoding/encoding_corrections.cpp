#include "protocol/feed/encoding/encoding_corrections.hpp"

#include <algorithm>
#include <cstddef>
#include <span>

namespace sluice::feed {

namespace {

// Characters of consecutive pointers.
struct Correction {
    std::size_t pointer;
    std::u32string_view characters;
};

// Printed by tests/unit/protocol/feed/encoding/encoding_standard.py from the standard's tables of 2026 and glibc 2.36.
// iconv reads the characters that Hong Kong has unified as others or not at all, and knows no euro sign.
constexpr Correction big5_corrections[] = {
    {2082, U"\u7BB8"},
    {2088, U"\u7C06"},
    {2103, U"\u7CCE"},
    {2114, U"\u7DD2"},
    {2123, U"\u7E1D"},
    {2148, U"\u8005"},
    {2151, U"\u8028"},
    {2221, U"\u83C1"},
    {2239, U"\u84A8"},
    {2244, U"\u840F"},
    {2303, U"\u89A6\u89A9"},
    {2354, U"\u8D77"},
    {2400, U"\u90FD"},
    {2413, U"\u92B9"},
    {2477, U"\u975C"},
    {2498, U"\u97FF"},
    {2605, U"\u9F16"},
    {2673, U"\u8503"},
    {2746, U"\u5159\u515B\u515D\u515E"},
    {2771, U"\u936E"},
    {2780, U"\u7479"},
    {2990, U"\u6D67"},
    {3087, U"\u799B"},
    {3259, U"\u9097"},
    {3301, U"\u975D"},
    {3436, U"\u701E"},
    {3451, U"\u5B28"},
    {4136, U"\u7201"},
    {4138, U"\u77D7"},
    {4141, U"\u7E87"},
    {4182, U"\u99D6"},
    {4206, U"\u91D4"},
    {4220, U"\u60DE"},
    {4230, U"\u6FB6"},
    {4241, U"\u8F36"},
    {4258, U"\u4FBB"},
    {4273, U"\u71DF"},
    {4279, U"\u9104"},
    {4282, U"\u9DF0"},
    {4294, U"\u83CF"},
    {4329, U"\u5C10\u79E3"},
    {4349, U"\u5A67"},
    {4419, U"\u8F0B"},
    {4422, U"\u7B51"},
    {4494, U"\u62D0"},
    {4624, U"\u6062"},
    {4694, U"\u75F9"},
    {4708, U"\u6C4A"},
    {4742, U"\u9B2E"},
    {4748, U"\u9F17"},
    {4815, U"\u50ED"},
    {4828, U"\u5F0C"},
    {4902, U"\u880F"},
    {4922, U"\u62CE"},
    {4982, U"\u7468"},
    {4992, U"\u7162"},
    {4997, U"\u7250"},
    {5029, U"\u2027"},
    {5038, U"\uFE51"},
    {5050, U"\u2574"},
    {5120, U"\u00AF\uFFE3"},
    {5123, U"\u02CD"},
    {5153, U"\uFF5E"},
    {5168, U"\u2295\u2299"},
    {5180, U"\uFF0F\uFF3C\u2215\uFE68"},
    {5185, U"\uFFE5"},
    {5187, U"\uFFE0\uFFE1"},
    {5287, U"\u5341"},
    {5289, U"\u5345"},
    {5432,
     U"\u2400\u2401\u2402\u2403\u2404\u2405\u2406\u2407\u2408\u2409\u240A\u240B\u240C\u240D\u240E\u240F\u2410\u2411"
     U"\u2412\u2413\u2414\u2415\u2416\u2417\u2418\u2419\u241A\u241B\u241C\u241D\u241E\u241F\u2421\u20AC"},
    {10942, U"\u5EF4"},
    {10946, U"\u65E0"},
    {10948, U"\u7676"},
    {10950, U"\u96B6"},
    {10957, U"\u3003\u4EDD"},
    {19028, U"\u5029"},
    {19035, U"\u507D"},
    {19088, U"\u5305"},
    {19096, U"\u5344"},
    {19112, U"\u537F"},
    {19162, U"\u5605"},
    {19240, U"\u5A77"},
    {19299, U"\u5E75"},
    {19305, U"\u5ED0"},
    {19326, U"\u5F58"},
    {19355, U"\u60A4"},
    {19398, U"\u6490"},
    {19439, U"\u6674"},
    {19454, U"\u675E"},
    {19553, U"\u6C9C\u6E1D"},
    {19557, U"\u6E2F"},
    {19611, U"\u716E"},
    {19643, U"\u732A"},
    {19672, U"\u745C"},
    {19697, U"\u74E9"},
    {19748, U"\u7809"}};
// iconv has moved these from the private use area to Unicode's later planes, and one space to it.
constexpr Correction gb18030_corrections[] = {
    {6555, U"\u3000"}, {23767, U"\uE816\uE817\uE818"}, {23794, U"\uE831"}, {23804, U"\uE83B"}, {23830, U"\uE855"}};
constexpr Correction gb18030_ranges_corrections[] = {
    {19057, U"\u9FB4\u9FB5\u9FB6\u9FB7\u9FB8\u9FB9\u9FBA\u9FBB"},
    {39076, U"\uFE10\uFE11\uFE12\uFE13\uFE14\uFE15\uFE16\uFE17\uFE18\uFE19"}};
constexpr Correction koi8_u_corrections[] = {{46, U"\u045E"}, {62, U"\u040E"}};
constexpr Correction macintosh_corrections[] = {{70, U"\u2206"}, {112, U"\uF8FF"}};
constexpr Correction mac_cyrillic_corrections[] = {{127, U"\u20AC"}};
constexpr Correction windows_1255_corrections[] = {{74, U"\u05BA"}};

struct IndexCorrections {
    std::string_view name;
    std::span<const Correction> corrections;
};

constexpr IndexCorrections index_corrections[] = {
    {"Big5", big5_corrections},
    {"gb18030", gb18030_corrections},
    {"gb18030-ranges", gb18030_ranges_corrections},
    {"KOI8-U", koi8_u_corrections},
    {"macintosh", macintosh_corrections},
    {"windows-1255", windows_1255_corrections},
    {"x-mac-cyrillic", mac_cyrillic_corrections},
};

}  // namespace

void correct_index(std::string_view name, std::vector<char32_t>& index) {
    for (const IndexCorrections& of_index : index_corrections) {
        if (of_index.name != name) continue;
        for (const Correction& c : of_index.corrections)
            std::copy(c.characters.begin(), c.characters.end(), index.begin() + static_cast<std::ptrdiff_t>(c.pointer));
    }
    // Windows reads bytes that a code page leaves open as control characters, if they may be any.
    if (!name.starts_with("windows-")) return;
    for (std::size_t byte = 0x80; byte < 0xA0; ++byte) {
        char32_t& character = index[byte - 0x80];
        if (character == 0) character = static_cast<char32_t>(byte);
    }
}

}  // namespace sluice::feed
