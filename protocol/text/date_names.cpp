#include "protocol/text/date_names.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

#include "protocol/text/ascii.hpp"

namespace sluice::text {

namespace {

// Abbreviations that do not begin a full name ("mrt") are listed, too.
constexpr std::string_view months[] = {
    "january janvier januar janner enero gennaio janeiro januari ιανουαριος ιανουαριου",
    "february fevrier februar feber febrero febbraio fevereiro februari φεβρουαριος φεβρουαριου",
    "march mars marz maerz mrz marzo marco maart mrt marcius μαρτιος μαρτιου",
    "april avril abril aprile aprilis απριλιος απριλιου",
    "may mai mayo maggio maio mei majus μαιος μαιου",
    "june juin juni junio giugno junho junius ιουνιος ιουνιου",
    "july juillet juli julio luglio julho julius ιουλιος ιουλιου",
    "august aout agosto augustus augusztus αυγουστος αυγουστου",
    "september septembre septiembre setiembre settembre setembro szeptember σεπτεμβριος σεπτεμβριου",
    "october octobre oktober octubre ottobre outubro οκτωβριος οκτωβριου",
    "november novembre noviembre novembro νοεμβριος νοεμβριου",
    "december decembre dezember diciembre dicembre dezembro δεκεμβριος δεκεμβριου",
};

constexpr std::string_view weekdays[] = {
    "monday lundi montag lunes lunedi segunda maandag δευτερα mo ma",
    "tuesday mardi dienstag martes martedi terca dinsdag τριτη di",
    "wednesday weds mercredi mittwoch miercoles mercoledi quarta woensdag τεταρτη mi wo",
    "thursday jeudi donnerstag jueves giovedi quinta donderdag πεμπτη do",
    "friday vendredi freitag viernes venerdi sexta vrijdag παρασκευη fr vr",
    "saturday samedi samstag sabado sabato zaterdag σαββατο sa za",
    "sunday dimanche sonntag domingo domenica zondag κυριακη so zo",
};

// The first three bytes as a number, which distinguishes most names.
constexpr std::uint32_t key_of(std::string_view name) {
    std::uint32_t key = 0;
    for (const char c : name.substr(0, 3)) key = key << 8 | static_cast<unsigned char>(c);
    return key;
}

struct Name {
    std::uint32_t key = 0;
    unsigned number = 0;  // from 1
    std::string_view name;
};

template <std::size_t n>
constexpr std::size_t count_names(const std::string_view (&lists)[n]) {
    std::size_t blanks = 0;
    for (const std::string_view list : lists) {
        for (const char c : list) blanks += c == ' ' ? 1 : 0;
    }
    return blanks + n;
}

template <std::size_t names, std::size_t n>
constexpr std::array<Name, names> split(const std::string_view (&lists)[n]) {
    std::array<Name, names> result;
    std::size_t count = 0;
    for (unsigned i = 0; i < n; ++i) {
        for (std::string_view rest = lists[i]; !rest.empty();) {
            const std::string_view name = rest.substr(0, rest.find(' '));
            result[count++] = {key_of(name), i + 1, name};
            rest.remove_prefix(name.size() == rest.size() ? name.size() : name.size() + 1);
        }
    }
    return result;
}

constexpr auto month_names = split<count_names(months)>(months);
constexpr auto weekday_names = split<count_names(weekdays)>(weekdays);

// The only number with a name that the word begins, or equals if it has two letters; 0 if there is none or several.
template <std::size_t n>
unsigned find_name(const std::array<Name, n>& names, std::string_view folded) {
    unsigned found = 0;
    const std::uint32_t key = key_of(folded);
    for (const Name& name : names) {
        if (name.key != key || !name.name.starts_with(folded) || name.number == found) continue;
        if (found != 0) return 0;
        found = name.number;
    }
    return found;
}

// Base letters of U+00C0 to U+00FF, indexed by their last five bits.
constexpr std::string_view latin = "aaaaaaaceeeeiiiidnooooo?ouuuuyts";

// Greek letters, U+0386 to U+03CE, in lower case without accent.
char32_t fold_greek(char32_t c) {
    switch (c) {
        case 0x386:
        case 0x3AC:
            return 0x3B1;  // α
        case 0x388:
        case 0x3AD:
            return 0x3B5;  // ε
        case 0x389:
        case 0x3AE:
            return 0x3B7;  // η
        case 0x38A:
        case 0x390:
        case 0x3AA:
        case 0x3AF:
        case 0x3CA:
            return 0x3B9;  // ι
        case 0x38C:
        case 0x3CC:
            return 0x3BF;  // ο
        case 0x38E:
        case 0x3AB:
        case 0x3B0:
        case 0x3CB:
        case 0x3CD:
            return 0x3C5;  // υ
        case 0x38F:
        case 0x3CE:
            return 0x3C9;  // ω
        default:
            return c >= 0x391 && c <= 0x3A9 ? c + 0x20 : c;
    }
}

void append_folded(std::string& folded, char32_t c) {
    if (c >= 0xC0 && c <= 0xFF) {
        folded += latin[c & 31];
    } else if (c < 0x300 || c > 0x36F) {  // drops combining accents
        c = fold_greek(c);
        folded += static_cast<char>(0xC0 | c >> 6);
        folded += static_cast<char>(0x80 | (c & 0x3F));
    }
}

}  // namespace

std::string fold_word(std::string_view word) {
    std::string folded;
    for (std::size_t i = 0; i < word.size(); ++i) {
        const auto byte = static_cast<unsigned char>(word[i]);
        const auto next = static_cast<unsigned char>(i + 1 < word.size() ? word[i + 1] : '\0');
        if (byte >= 0xC3 && byte < 0xD0 && (next & 0xC0) == 0x80) {
            ++i;
            append_folded(folded, static_cast<char32_t>((byte & 0x1F) << 6 | (next & 0x3F)));
        } else {
            folded += ascii_lower(word[i]);
        }
    }
    return folded;
}

unsigned find_month(std::string_view folded) { return find_name(month_names, folded); }

unsigned find_weekday(std::string_view folded) { return find_name(weekday_names, folded); }

}  // namespace sluice::text
