#include "protocol/wire/http/problem.hpp"

#include <boost/json/serialize.hpp>

#include "protocol/text/utf8.hpp"

namespace sluice::wire {

std::string to_json(const Problem& problem) {
    boost::json::object json;
    json["type"] = problem.type;
    json["title"] = problem.title.empty() ? std::string(reason_phrase(problem.status)) : problem.title;
    json["status"] = problem.status;
    if (!problem.detail.empty()) json["detail"] = text::printable_utf8(problem.detail);
    for (const auto& [name, value] : problem.members) json[name] = value;
    return boost::json::serialize(json);
}

std::string_view reason_phrase(unsigned status) {
    switch (status) {
        case 200:
            return "OK";
        case 201:
            return "Created";
        case 202:
            return "Accepted";
        case 204:
            return "No Content";
        case 400:
            return "Bad Request";
        case 401:
            return "Unauthorized";
        case 403:
            return "Forbidden";
        case 404:
            return "Not Found";
        case 405:
            return "Method Not Allowed";
        case 408:
            return "Request Timeout";
        case 409:
            return "Conflict";
        case 410:
            return "Gone";
        case 411:
            return "Length Required";
        case 412:
            return "Precondition Failed";
        case 413:
            return "Content Too Large";
        case 415:
            return "Unsupported Media Type";
        case 417:
            return "Expectation Failed";
        case 421:
            return "Misdirected Request";
        case 422:
            return "Unprocessable Content";
        case 429:
            return "Too Many Requests";
        case 431:
            return "Request Header Fields Too Large";
        case 500:
            return "Internal Server Error";
        case 501:
            return "Not Implemented";
        case 503:
            return "Service Unavailable";
        case 505:
            return "HTTP Version Not Supported";
        case 507:
            return "Insufficient Storage";
        default:
            return "";
    }
}

}  // namespace sluice::wire
