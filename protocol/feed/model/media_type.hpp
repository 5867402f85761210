// An HTTP Content-Type (RFC 9110 §8.3), reduced to what a published document needs. Pure function; any thread.
#pragma once

#include <concepts>
#include <string>
#include <string_view>

namespace sluice::feed {

struct MediaType {
    MediaType() = default;
    // Parses the field's value. Never fails: unreadable parts are left out.
    template <std::convertible_to<std::string_view> Text>
    MediaType(const Text& field) : MediaType(parse(field)) {}  // NOLINT(google-explicit-constructor)

    std::string type;     // "application/xml", in lower case
    std::string charset;  // as written; empty if absent
    std::string header;   // of CSV (RFC 4180 §3): "present" or "absent", in lower case; empty if absent

private:
    static MediaType parse(std::string_view text);
};

// True of text and application types with a word that means feeds or XML: "text/rss+xml", "application/x-atom".
bool names_feed(std::string_view type);

}  // namespace sluice::feed
