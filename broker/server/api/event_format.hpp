// What an event is to look like: the parameters format, values and annotate of a request. Pure; any thread.
#pragma once

#include <optional>

#include "broker/server/api/filter_compiler.hpp"
#include "broker/server/http/http_types.hpp"
#include "protocol/wire/http/query.hpp"

namespace sluice::broker {
class Framer;
}

namespace sluice::server {

class SseFramers;

struct WantedFormat {
    const broker::Framer* framer = nullptr;  // null: refused
    bool has_alignments = false;
    std::optional<HttpReply> refusal{};
};

WantedFormat read_format(const wire::Query& query, const SseFramers& framers);

// Formats other than JSON have no place for annotations.
Annotate annotations_of(const WantedFormat& wanted);

}  // namespace sluice::server
