#include "tests/bench/fanout/message.hpp"

#include <charconv>
#include <utility>

namespace sluice::fanout {

namespace {

constexpr std::size_t item_bytes = 1053;
constexpr std::string_view no_number = "00000000";
static_assert(no_number.size() == number_digits);

std::string words(std::size_t bytes) {
    constexpr std::string_view sentence =
        "the river rose over its banks on Tuesday and the ferry to the island stayed in harbour while crews moved sand "
        "to the lower streets; nobody was hurt, said the mayor, who expects the water to fall by the weekend. ";
    std::string text;
    while (text.size() < bytes) text += sentence;
    text.resize(bytes);
    return text;
}

std::string padded(std::string_view head, std::string_view tail, std::size_t bytes) {
    return std::string(head) + words(bytes - head.size() - tail.size()) + std::string(tail);
}

Message with_places(std::string bytes) {
    Message message;
    for (auto at = bytes.find(no_number); at != std::string::npos; at = bytes.find(no_number, at + number_digits))
        message.places.push_back({at, 0});
    message.bytes = std::move(bytes);
    return message;
}

}  // namespace

Message rss_message() {
    constexpr std::string_view head =
        "<item><title>River report 00000000: ferry stays in harbour</title>"
        "<link>https://news.example/rivers/00000000.html</link>"
        "<guid isPermaLink=\"false\">river-00000000</guid>"
        "<pubDate>Tue, 03 Mar 2026 10:00:00 GMT</pubDate>"
        "<category>weather</category><category>rivers</category><author>desk@news.example (News desk)</author>"
        "<description>&lt;p&gt;";
    constexpr std::string_view tail = "&lt;/p&gt; &amp; more</description></item>";
    return with_places(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<rss version=\"2.0\"><channel><title>Rivers</title>" +
        padded(head, tail, item_bytes) + "</channel></rss>");
}

Message json_message(std::uint64_t keys) {
    constexpr std::string_view head =
        R"({"report":"River report 00000000: ferry stays in harbour","key":"k00000000","text":")";
    Message message = with_places(padded(head, "\"}", rss_message().bytes.size()));
    message.places.back().modulus = keys;
    return message;
}

Message framed(std::string_view before, const Message& message, std::string_view after) {
    Message result{std::string(before) + message.bytes + std::string(after), message.places};
    for (auto& place : result.places) place.at += before.size();
    return result;
}

void write_number(char* at, std::uint64_t number) {
    for (std::size_t i = number_digits; i > 0; number /= 10) at[--i] = static_cast<char>('0' + number % 10);
}

std::string number_text(std::uint64_t number) {
    std::string text(number_digits, '0');
    write_number(text.data(), number);
    return text;
}

std::uint64_t read_number(std::string_view digits) {
    std::uint64_t number = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return number;
}

}  // namespace sluice::fanout
