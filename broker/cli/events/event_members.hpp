// An event's JSON by its members. What is published may be nested deeper, and have larger numbers, than Boost.JSON
// reads, so each member is read as it is needed. Any thread.
#pragma once

#include <boost/json/value.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "protocol/feed/data/json_reader.hpp"

namespace sluice::cli {

class EventMembers {
public:
    // `json` has to outlive it.
    explicit EventMembers(std::string_view json);

    bool is_object() const { return is_read_; }
    // As it is written; empty if there is no such member.
    std::string_view text(const std::string& name) const;
    // Null if there is no such member, or it can't be read.
    boost::json::value value(const std::string& name) const;
    // Empty or 0 if the member is missing or has another type.
    std::string string(const std::string& name) const;
    std::uint64_t number(const std::string& name) const;

private:
    bool read();

    feed::JsonReader reader_;
    std::map<std::string, std::string_view> members_;
    bool is_read_ = false;
};

}  // namespace sluice::cli
