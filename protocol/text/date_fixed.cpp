#include "protocol/text/date_fixed.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "protocol/text/date_fields.hpp"

namespace sluice::text {

namespace {

constexpr std::uint32_t three_letters(const char* at) {
    const auto byte = [&](std::size_t i) { return std::uint32_t{static_cast<unsigned char>(at[i])}; };
    return byte(0) | byte(1) << 8 | byte(2) << 16;
}

template <std::size_t n>
constexpr auto three_letters(const char* const (&names)[n]) {
    std::array<std::uint32_t, n> all{};
    for (std::size_t i = 0; i < n; ++i) all[i] = three_letters(names[i]);
    return all;
}

constexpr auto month_letters =
    three_letters({"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"});
constexpr auto weekday_letters = three_letters({"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"});

// Reads numbers at places of a text that is long enough, and notes whether all were digits.
class Places {
public:
    explicit Places(std::string_view text) : text_(text) {}

    bool has(std::size_t at, char c) const { return text_[at] == c; }
    const char* operator+(std::size_t at) const { return text_.data() + at; }
    unsigned two_digits(std::size_t at) { return digit(at) * 10 + digit(at + 1); }
    // "15:10:00"
    void read_clock(std::size_t at, DateFields& t) {
        t.hour = two_digits(at);
        t.minute = two_digits(at + 3);
        t.second = two_digits(at + 6);
        are_good_ &= has(at + 2, ':') && has(at + 5, ':');
    }
    void read_year(std::size_t at, DateFields& t) {
        t.year = static_cast<int>(two_digits(at) * 100 + two_digits(at + 2));
    }
    // A sign and hours, and minutes at `minutes_at`.
    void read_offset(std::size_t at, std::size_t minutes_at, DateFields& t) {
        const unsigned hours = two_digits(at + 1), minutes = two_digits(minutes_at);
        const int seconds = static_cast<int>(hours * 60 + minutes) * 60;
        t.zone.seconds = has(at, '-') ? -seconds : seconds;
        are_good_ &= (has(at, '-') || has(at, '+')) && minutes <= 59;
    }
    bool are_good() const { return are_good_; }

private:
    unsigned digit(std::size_t at) {
        const unsigned value = static_cast<unsigned char>(text_[at]) - unsigned{'0'};
        are_good_ &= value <= 9;
        return value;
    }

    std::string_view text_;
    bool are_good_ = true;
};

// "Mon, 16 Oct 2017 15:10:00 GMT"
std::optional<double> parse_rfc822(std::string_view text) {
    Places places(text);
    for (const std::size_t space : {4u, 7u, 11u, 16u, 25u})
        if (!places.has(space, ' ')) return std::nullopt;
    const auto month = std::find(month_letters.begin(), month_letters.end(), three_letters(places + 8));
    if (!places.has(3, ',') || month == month_letters.end() ||
        std::find(weekday_letters.begin(), weekday_letters.end(), three_letters(places + 0)) == weekday_letters.end())
        return std::nullopt;
    DateFields t;
    t.month = static_cast<unsigned>(month - month_letters.begin()) + 1;
    t.day = places.two_digits(5);
    places.read_year(12, t);
    places.read_clock(17, t);
    if (text.substr(26) != "GMT") {
        if (text.size() != 31) return std::nullopt;
        places.read_offset(26, 29, t);
    }
    return places.are_good() ? to_seconds(t) : std::nullopt;
}

// "2017-10-16T15:10:00Z"
std::optional<double> parse_rfc3339(std::string_view text) {
    Places places(text);
    if (!places.has(4, '-') || !places.has(7, '-') || !places.has(10, 'T')) return std::nullopt;
    DateFields t;
    places.read_year(0, t);
    t.month = places.two_digits(5);
    t.day = places.two_digits(8);
    places.read_clock(11, t);
    if (text.size() == 20 && !places.has(19, 'Z')) return std::nullopt;
    if (text.size() == 25) {
        if (!places.has(22, ':')) return std::nullopt;
        places.read_offset(19, 23, t);
    }
    return places.are_good() ? to_seconds(t) : std::nullopt;
}

}  // namespace

std::optional<double> parse_fixed_date(std::string_view text) {
    switch (text.size()) {
        case 20:
        case 25:
            return parse_rfc3339(text);
        case 29:
        case 31:
            return parse_rfc822(text);
        default:
            return std::nullopt;
    }
}

}  // namespace sluice::text
