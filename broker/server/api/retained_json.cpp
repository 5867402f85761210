#include "broker/server/api/retained_json.hpp"

#include <string>
#include <utility>

#include "protocol/text/date.hpp"

namespace sluice::server {

boost::json::object retained_json(const store::StreamExtent& extent) {
    boost::json::object json{{"first_id", nullptr},
                             {"last_id", nullptr},
                             {"events", extent.events},
                             {"bytes", extent.bytes},
                             {"oldest", nullptr}};
    if (extent.events == 0) return json;
    std::string oldest(text::rfc3339_bytes, ' ');
    text::write_rfc3339_us(oldest.data(), extent.oldest);
    json["first_id"] = extent.first_id;
    json["last_id"] = extent.last_id;
    json["oldest"] = oldest;
    return json;
}

}  // namespace sluice::server
