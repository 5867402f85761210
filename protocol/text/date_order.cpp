#include "protocol/text/date_order.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "protocol/text/date_fields.hpp"

namespace sluice::text {

namespace {

using std::chrono::year_month_day;

std::optional<year_month_day> make_date(DateNumber year, unsigned month, DateNumber day) {
    if ((year.digits != 2 && year.digits != 4) || day.digits > 2) return std::nullopt;
    const int full = year.digits == 2 ? full_year(year.value) : static_cast<int>(year.value);
    const year_month_day date(std::chrono::year(full), std::chrono::month(month), std::chrono::day(day.value));
    return date.ok() ? std::optional(date) : std::nullopt;
}

std::optional<year_month_day> make_date(DateNumber year, DateNumber month, DateNumber day) {
    return month.digits > 2 ? std::nullopt : make_date(year, month.value, day);
}

// Chooses the only date added, or the only one on the given weekday.
class Choice {
public:
    explicit Choice(unsigned weekday) : weekday_(weekday) {}

    void add(std::optional<year_month_day> date) {
        const auto end = dates_.begin() + static_cast<std::ptrdiff_t>(count_);
        if (date && std::find(dates_.begin(), end, *date) == end) dates_[count_++] = *date;
    }

    std::optional<year_month_day> get() const {
        if (count_ == 1) return dates_[0];
        std::optional<year_month_day> chosen;
        for (std::size_t i = 0; i < count_; ++i) {
            if (std::chrono::weekday(std::chrono::sys_days(dates_[i])).iso_encoding() != weekday_) continue;
            if (chosen) return std::nullopt;
            chosen = dates_[i];
        }
        return chosen;
    }

private:
    unsigned weekday_;
    std::array<year_month_day, 3> dates_{};
    std::size_t count_ = 0;
};

std::optional<year_month_day> find_in_three(const DateParts& parts) {
    const auto& [a, b, c] = parts.numbers;
    if (a.digits == 4) return make_date(a, b, c);
    if (parts.is_dotted) return make_date(c, b, a);
    Choice choice(parts.weekday);
    choice.add(make_date(c, b, a));
    choice.add(make_date(c, a, b));
    if (c.digits <= 2) choice.add(make_date(a, b, c));
    return choice.get();
}

// ISO 8601's ordinal date: 2003-335
std::optional<year_month_day> find_ordinal(unsigned year_number, unsigned day_of_year) {
    const std::chrono::year year(static_cast<int>(year_number));
    if (day_of_year < 1 || day_of_year > (year.is_leap() ? 366 : 365)) return std::nullopt;
    return year_month_day(std::chrono::sys_days(year / 1 / 1) + std::chrono::days(day_of_year - 1));
}

std::optional<Day> whole(std::optional<year_month_day> date) { return date ? std::optional(Day{*date}) : std::nullopt; }

std::optional<Day> month_alone(DateNumber year, unsigned month) {
    const auto date = make_date(year, month, DateNumber{1, 1});
    return date && year.digits == 4 ? std::optional(Day{*date, true}) : std::nullopt;
}

}  // namespace

std::optional<Day> find_day(const DateParts& parts) {
    const auto& [a, b, c] = parts.numbers;
    if (parts.month != 0) {
        if (parts.count == 1) return month_alone(a, parts.month);
        if (parts.count != 2) return std::nullopt;
        return whole(a.digits == 4 ? make_date(a, parts.month, b) : make_date(b, parts.month, a));
    }
    if (parts.count == 3) return whole(find_in_three(parts));
    if (parts.count != 2 || !parts.is_joined || parts.is_dotted) return std::nullopt;
    if (a.digits == 4 && b.digits == 3) return whole(find_ordinal(a.value, b.value));
    if (a.digits == 4 && b.digits == 2) return month_alone(a, b.value);
    if (a.digits <= 2 && b.digits == 4) return month_alone(b, a.value);
    return std::nullopt;
}

}  // namespace sluice::text
