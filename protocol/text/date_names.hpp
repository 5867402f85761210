// Names of months and weekdays in the languages of feeds: English, French, German, Spanish, Italian, Portuguese, Dutch
// and Greek, and of months in Hungarian. Pure functions; any thread.
#pragma once

#include <string>
#include <string_view>

namespace sluice::text {

// Removes case and accents: "Août" becomes "aout", "Ιούλ" "ιουλ". Changes only Latin and Greek letters.
std::string fold_word(std::string_view word);

// The month of a folded word, 1 to 12. Names may be cut to three letters or more. 0: no month, or several ("jui").
unsigned find_month(std::string_view folded);

// The weekday, 1 (Monday) to 7; 0: none, or several. Some languages cut the names to two letters ("Mo", "zo").
unsigned find_weekday(std::string_view folded);

}  // namespace sluice::text
