// What an HTTP reply says when it is an error: RFC 9457 application/problem+json. Plain values; any thread.
#pragma once

#include <boost/json/object.hpp>
#include <string>
#include <string_view>

namespace sluice {

struct Problem {
    unsigned status = 500;
    std::string type = "about:blank";  // with about:blank the title is the status' own phrase
    std::string title;                 // empty: the status' own phrase
    std::string detail;
    boost::json::object members;  // what this type adds: line, column, offset …
};

std::string to_json(const Problem& problem);

// "Not Found" for 404: the reason phrases of RFC 9110 that we use, "" for the others.
std::string_view reason_phrase(unsigned status);

}  // namespace sluice
