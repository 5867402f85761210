#include "protocol/text/date_zones.hpp"

#include <algorithm>

#include "protocol/text/ascii.hpp"

namespace sluice::text {

namespace {

using namespace std::chrono;

// Up to eight ASCII letters in lower case as a number, which compares faster; 0 if there are more.
constexpr std::uint64_t zone_key(std::string_view name) {
    if (name.size() > sizeof(std::uint64_t)) return 0;
    std::uint64_t key = 0;
    for (const char c : name) key = key << 8 | static_cast<unsigned char>(ascii_lower(c));
    return key;
}

struct Abbreviation {
    constexpr Abbreviation(std::string_view name, int minutes, ClockChange change = ClockChange::never)
        : key(zone_key(name)), zone{minutes * 60, change} {}
    std::uint64_t key;
    Zone zone;
};

// The abbreviations of RFC 2822, and others with one meaning in the time zone database since 1996, or in feeds.
constexpr Abbreviation abbreviations[] = {
    {"gmt", 0},
    {"z", 0},
    {"utc", 0},
    {"ut", 0},
    {"est", -300},
    {"edt", -240},
    {"cst", -360},
    {"cdt", -300},
    {"mst", -420},
    {"mdt", -360},
    {"pst", -480},
    {"pdt", -420},
    {"cet", 60},
    {"cest", 120},
    {"bst", 60},
    {"met", 60},
    {"mest", 120},
    {"mez", 60},
    {"mesz", 120},
    {"eet", 120},
    {"eest", 180},
    {"wet", 0},
    {"west", 60},
    {"msk", 180, ClockChange::moscow},
    {"msd", 240},
    {"et", -300, ClockChange::america},
    {"ct", -360, ClockChange::america},
    {"mt", -420, ClockChange::america},
    {"pt", -480, ClockChange::america},
    {"at", -240, ClockChange::america},
    {"ast", -240},
    {"adt", -180},
    {"nst", -210},
    {"ndt", -150},
    {"akst", -540},
    {"akdt", -480},
    {"hst", -600},
    {"hdt", -540},
    {"jst", 540},
    {"kst", 540},
    {"hkt", 480},
    {"sgt", 480},
    {"pht", 480},
    {"ict", 420},
    {"brt", -180},
    {"brst", -120},
    {"art", -180},
    {"wib", 420},
    {"wita", 480},
    {"idt", 180},
    {"pkt", 300},
    {"sast", 120},
    {"cat", 120},
    {"eat", 180},
    {"wat", 60},
    {"awst", 480},
    {"acst", 570},
    {"acdt", 630},
    {"aest", 600},
    {"aedt", 660},
    {"nzst", 720},
    {"nzdt", 780},
};

struct Place {
    std::string_view name;  // in lower case
    int minutes;
    ClockChange change = ClockChange::never;
};

// The places that feeds name, among those whose clocks have followed one rule since 1996.
constexpr Place places[] = {
    {"america/new_york", -300, ClockChange::america},
    {"america/toronto", -300, ClockChange::america},
    {"america/chicago", -360, ClockChange::america},
    {"america/denver", -420, ClockChange::america},
    {"america/phoenix", -420},
    {"america/los_angeles", -480, ClockChange::america},
    {"america/puerto_rico", -240},
    {"us/eastern", -300, ClockChange::america},
    {"us/central", -360, ClockChange::america},
    {"us/mountain", -420, ClockChange::america},
    {"us/pacific", -480, ClockChange::america},
    {"europe/dublin", 0, ClockChange::europe},
    {"europe/london", 0, ClockChange::europe},
    {"europe/amsterdam", 60, ClockChange::europe},
    {"europe/belgrade", 60, ClockChange::europe},
    {"europe/berlin", 60, ClockChange::europe},
    {"europe/brussels", 60, ClockChange::europe},
    {"europe/budapest", 60, ClockChange::europe},
    {"europe/copenhagen", 60, ClockChange::europe},
    {"europe/luxembourg", 60, ClockChange::europe},
    {"europe/madrid", 60, ClockChange::europe},
    {"europe/oslo", 60, ClockChange::europe},
    {"europe/paris", 60, ClockChange::europe},
    {"europe/prague", 60, ClockChange::europe},
    {"europe/rome", 60, ClockChange::europe},
    {"europe/stockholm", 60, ClockChange::europe},
    {"europe/vienna", 60, ClockChange::europe},
    {"europe/warsaw", 60, ClockChange::europe},
    {"europe/zurich", 60, ClockChange::europe},
    {"europe/athens", 120, ClockChange::europe},
    {"europe/helsinki", 120, ClockChange::europe},
    {"asia/kolkata", 330},
    {"asia/calcutta", 330},
    {"asia/hong_kong", 480},
    {"asia/shanghai", 480},
    {"asia/singapore", 480},
    {"asia/taipei", 480},
    {"asia/seoul", 540},
    {"asia/tokyo", 540},
    {"australia/brisbane", 600},
    {"etc/gmt", 0},
    {"etc/utc", 0},
};

bool equals_ignoring_case(std::string_view text, std::string_view lower) {
    return std::equal(text.begin(), text.end(), lower.begin(), lower.end(),
                      [](char a, char b) { return ascii_lower(a) == b; });
}

// In standard time. Clocks skip the hour after `begin`, and show the hour after `end` twice.
struct SummerTime {
    sys_seconds begin, end;
};

std::optional<SummerTime> summer_time(Zone zone, year y) {
    using std::chrono::April, std::chrono::March, std::chrono::November, std::chrono::October;
    const auto at = [](sys_days day, int second_of_day) { return sys_seconds(day) + seconds(second_of_day); };
    constexpr int hour = 3600;
    if (zone.change == ClockChange::moscow)
        return SummerTime{at(year(2011) / March / 27, 2 * hour), at(year(2014) / October / 26, hour)};
    if (zone.change == ClockChange::europe) {
        if (y < year(1996)) return std::nullopt;
        const int change = hour + zone.seconds;
        return SummerTime{at(y / March / Sunday[last], change), at(y / October / Sunday[last], change)};
    }
    if (y < year(1987)) return std::nullopt;
    if (y < year(2007)) return SummerTime{at(y / April / Sunday[1], 2 * hour), at(y / October / Sunday[last], hour)};
    return SummerTime{at(y / March / Sunday[2], 2 * hour), at(y / November / Sunday[1], hour)};
}

}  // namespace

std::optional<Zone> find_zone(std::string_view name) {
    if (const std::uint64_t key = zone_key(name)) {
        for (const Abbreviation& abbreviation : abbreviations) {
            if (abbreviation.key == key) return abbreviation.zone;
        }
    }
    if (name.find('/') == std::string_view::npos) return std::nullopt;
    for (const Place& place : places) {
        if (equals_ignoring_case(name, place.name)) return Zone{place.minutes * 60, place.change};
    }
    return std::nullopt;
}

std::optional<int> offset_seconds(Zone zone, sys_seconds local) {
    constexpr int hour = 3600;
    if (zone.change == ClockChange::never) return zone.seconds;
    const auto summer = summer_time(zone, year_month_day(floor<days>(local)).year());
    if (!summer) return std::nullopt;
    if (local < summer->begin || local >= summer->end + seconds(hour)) return zone.seconds;
    if (local < summer->begin + seconds(hour) || local >= summer->end) return std::nullopt;
    return zone.seconds + hour;
}

}  // namespace sluice::text
