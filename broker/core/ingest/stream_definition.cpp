#include "broker/core/ingest/stream_definition.hpp"

#include <boost/json/value_from.hpp>
#include <utility>

#include "config/units.hpp"

namespace sluice::broker {

boost::json::object stream_options_json(const config::StreamOptions& options) {
    boost::json::object json{
        {"event_path", options.event_path}, {"id_path", options.id_path}, {"deduplicate", options.deduplicate}};
    if (options.deduplication_window.count() != 0)
        json["deduplication_window"] = config::duration_text(options.deduplication_window);
    if (options.deduplication_ignore)
        json["deduplication_ignore"] = boost::json::value_from(*options.deduplication_ignore);
    json["repair"] = options.repair == config::RepairOption::strict ? "strict" : "lenient";
    const auto& [age, events, bytes] = options.retention;
    boost::json::object retention;
    if (age) retention["age"] = config::duration_text(*age);
    if (events) retention["events"] = *events;
    if (bytes) retention["bytes"] = config::size_text(*bytes);
    json["retention"] = std::move(retention);
    json["context"] = options.context == config::ContextOption::document ? "document" : "auto";
    return json;
}

}  // namespace sluice::broker
