// Prints a date as feeds write it in seconds since 1970.
#include <iostream>

#include "protocol/text/date.hpp"

int main() {
    const auto seconds = sluice::text::parse_date("Mon, 16 Oct 2017 15:10:00 GMT");
    std::cout << static_cast<long long>(seconds.value_or(0)) << '\n';
}
