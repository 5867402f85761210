// The annotations of an event as JSON. Pure function; any thread.
#pragma once

#include <string>

#include "broker/match/annotations.hpp"

namespace sluice::server {

// Members to add to the event's object, each after a comma:
//   ,"alignments":[{"filter":0,"leaf":"align(s, 'ACGT') >= 4","value":0,"score":4,"query_start":1,"query_end":4,
//     "text_start":7,"text_end":10,"cigar":"4="}],"estimated":["determinism(samples, 0.5) > 0.9"]
// Letters count from 1. An empty alignment has no positions. An omitted alignment has "omitted" with the reason, and no
// score. There are no "alignments" unless they were requested, and no "estimated" without conditions.
std::string annotations_json(const broker::Annotations& annotations);

}  // namespace sluice::server
