// Decides which of a date's numbers are the year, the month and the day. Pure function; any thread.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <optional>

namespace sluice::text {

struct DateNumber {
    unsigned value = 0;
    std::size_t digits = 0;
};

// What a text states about the day, in the text's order.
struct DateParts {
    void add(unsigned value, std::size_t digits) { numbers[count++] = {value, digits}; }  // three at most

    std::array<DateNumber, 3> numbers;
    std::size_t count = 0;
    unsigned month = 0;     // given by name, 1 to 12; 0 if there is none
    unsigned weekday = 0;   // 1 (Monday) to 7; 0 if there is none
    bool is_joined = true;  // no blanks between the numbers
    bool is_dotted = true;  // dots between all numbers
};

struct Day {
    std::chrono::year_month_day date;
    bool is_month = false;  // `date` is the first of a month given without a day
};

// nullopt: a part is missing, the day doesn't exist, or the numbers can be read as several dates and the weekday fits
// none or several of them. Four digits are a year. Next to a month's name, the day precedes a two-digit year. Dates
// with dots begin with the day, unless they begin with a four-digit year.
std::optional<Day> find_day(const DateParts& parts);

}  // namespace sluice::text
