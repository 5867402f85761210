// What is published: a text made once, in which only numbers change from message to message. They have eight digits, so
// that a message costs the publisher no more than writing these.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::fanout {

// In each message, once, behind this mark, is its number. No protocol changes, escapes or repeats either.
inline constexpr std::string_view number_mark = "River report ";
inline constexpr std::size_t number_digits = 8;

struct Message {
    // Where the message's number is to be written, modulo `modulus` unless that is 0.
    struct Place {
        std::size_t at = 0;
        std::uint64_t modulus = 0;
    };

    std::string bytes;
    std::vector<Place> places;
};

// An RSS document of one item of 1,053 bytes, that of tests/bench/instructions.
Message rss_message();

// A JSON object of as many bytes, on one line, whose member "key" is "k" and the number modulo `keys`.
Message json_message(std::uint64_t keys);

// The same with something before and behind it.
Message framed(std::string_view before, const Message& message, std::string_view after);

void write_number(char* at, std::uint64_t number);
std::string number_text(std::uint64_t number);
std::uint64_t read_number(std::string_view digits);

}  // namespace sluice::fanout
