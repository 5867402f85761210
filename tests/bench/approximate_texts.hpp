// The texts that approximate matching is measured on: random characters over {0,1}, {ACGT}, a-z, and words whose
// letters are as frequent as in English.
#pragma once

#include <cstddef>
#include <random>
#include <string>
#include <string_view>

namespace sluice::bench {

inline constexpr std::string_view text_kinds[] = {"01", "ACGT", "a-z", "English"};

inline std::string random_text(std::string_view kind, std::size_t length, std::mt19937_64& random) {
    // Of 1000 characters; the rest are spaces.
    static constexpr int letters[26] = {66, 12, 23, 34, 104, 18, 16, 50, 57, 1,  6, 33, 20,
                                        57, 62, 16, 1,  49,  52, 74, 23, 8,  19, 1, 16, 1};
    const std::string_view alphabet = kind == "01"     ? "01"
                                      : kind == "ACGT" ? "ACGT"
                                      : kind == "a-z"  ? "abcdefghijklmnopqrstuvwxyz"
                                                       : "";
    std::string english;
    if (alphabet.empty()) {
        for (int i = 0; i < 26; ++i) english.append(static_cast<std::size_t>(letters[i]), static_cast<char>('a' + i));
        english.resize(1000, ' ');
    }
    const std::string_view choices = alphabet.empty() ? std::string_view(english) : alphabet;
    std::string text(length, '\0');
    for (char& c : text) c = choices[random() % choices.size()];
    return text;
}

}  // namespace sluice::bench
