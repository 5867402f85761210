#include "broker/server/api/event_format.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "broker/core/delivery/framer.hpp"
#include "broker/server/api/problems.hpp"
#include "broker/server/http/parameters.hpp"
#include "broker/server/sse/sse_framer.hpp"

namespace sluice::server {

namespace {

HttpReply needs_json(const std::string& what, std::string_view format) {
    return status_reply(400, what + " needs format=json: format=" + std::string(format) + " is the item alone");
}

}  // namespace

WantedFormat read_format(const wire::Query& query, const SseFramers& framers) {
    const std::string_view format = parameter(query, "format", "json"), values = parameter(query, "values", ""),
                           annotate = parameter(query, "annotate", "none");
    const bool has_values = values == "all";
    WantedFormat wanted;
    if (format == "json")
        wanted.framer = &framers.json(has_values ? feed::JsonValues::all : feed::JsonValues::where_needed);
    else if (format == "xml")
        wanted.framer = &framers.xml();
    else if (format == "source")
        wanted.framer = &framers.source();
    else
        wanted.refusal = bad_parameter("format", format, "json, xml or source");
    if (wanted.refusal) return wanted;
    const bool is_object = wanted.framer->format.is_object;
    const auto is_values = [](const auto& pair) { return pair.first == "values"; };
    wanted.has_alignments = annotate == "alignment";
    if (annotate != "none" && annotate != "alignment")
        wanted.refusal = bad_parameter("annotate", annotate, "none or alignment");
    else if (wanted.has_alignments && !is_object)
        wanted.refusal = needs_json("annotate=alignment", format);
    else if (std::any_of(query.begin(), query.end(), is_values) && !has_values)
        wanted.refusal = bad_parameter("values", values, "all");
    else if (has_values && !is_object)
        wanted.refusal = needs_json("values=all", format);
    return wanted;
}

Annotate annotations_of(const WantedFormat& wanted) {
    if (!wanted.framer->format.is_object) return Annotate::nothing;
    return wanted.has_alignments ? Annotate::alignments : Annotate::estimates;
}

}  // namespace sluice::server
