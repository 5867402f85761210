// What became of lines that the broker had no room for in a stream, and took when they were sent by themselves. A plain
// value; one thread at a time.
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <vector>

namespace sluice::cli {

class SingleLines {
public:
    // `reply`: what POST /v1/events says of the document with this number in the stream.
    void accept(std::uint64_t number, const boost::json::object& reply);

    // Corrects the summary that the broker makes of the stream, where they are among those that it refused.
    void add_to(boost::json::object& summary) const;

private:
    std::uint64_t accepted_ = 0, received_ = 0, added_ = 0, updated_ = 0, unchanged_ = 0, items_refused_ = 0;
    std::uint64_t first_id_ = 0, last_id_ = 0;  // 0: none
    std::vector<std::uint64_t> numbers_;        // of the first ones
};

// The summary of a stream with one document, which was refused. Of what the reply to it names: the stream and how its
// events are stored.
boost::json::object summary_of_one(const boost::json::object& reply);

}  // namespace sluice::cli
