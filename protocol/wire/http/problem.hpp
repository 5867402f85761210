// The body of an HTTP error reply: RFC 9457 application/problem+json. Plain values; any thread.
#pragma once

#include <boost/json/object.hpp>
#include <string>
#include <string_view>

namespace sluice::wire {

struct Problem {
    unsigned status = 500;
    std::string type = "about:blank";  // with about:blank, the title is the status's reason phrase
    std::string title;                 // empty: the status's reason phrase
    std::string detail;
    boost::json::object members;  // added by this type: line, column, offset …
};

std::string to_json(const Problem& problem);

// "Not Found" for 404: the reason phrases of RFC 9110 for the statuses in use; "" for other statuses.
std::string_view reason_phrase(unsigned status);

}  // namespace sluice::wire
