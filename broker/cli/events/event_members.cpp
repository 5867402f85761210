#include "broker/cli/events/event_members.hpp"

#include <boost/json.hpp>

namespace sluice::cli {

namespace json = boost::json;

EventMembers::EventMembers(std::string_view json) : reader_(json, 0, json.size()) { is_read_ = read(); }

bool EventMembers::read() {
    if (!reader_.take('{')) return false;
    if (reader_.take('}')) return reader_.next() == '\0';
    std::string name;
    do {
        if (!reader_.string(name) || !reader_.take(':')) return false;
        reader_.next();
        const std::size_t begin = reader_.offset();
        reader_.skip_value();
        members_.insert_or_assign(name, reader_.text_from(begin));
    } while (reader_.take(','));
    return reader_.take('}') && reader_.next() == '\0';
}

std::string_view EventMembers::text(const std::string& name) const {
    const auto found = members_.find(name);
    return found == members_.end() ? std::string_view() : found->second;
}

json::value EventMembers::value(const std::string& name) const {
    boost::system::error_code error;
    json::value value = json::parse(text(name), error);
    return error ? json::value() : value;
}

std::string EventMembers::string(const std::string& name) const {
    const json::value found = value(name);
    return found.is_string() ? std::string(found.get_string()) : std::string();
}

std::uint64_t EventMembers::number(const std::string& name) const {
    boost::system::error_code error;
    const auto number = value(name).to_number<std::uint64_t>(error);
    return error ? 0 : number;
}

}  // namespace sluice::cli
