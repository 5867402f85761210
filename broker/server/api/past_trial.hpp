// POST /v1/match with since: tries a filter on a stream's retained events, in many small pieces. Belongs to one thread
// at a time.
#pragma once

#include <boost/json/object.hpp>
#include <optional>
#include <vector>

#include "broker/base/memory/memory_budget.hpp"
#include "broker/core/replay/past_matches.hpp"
#include "broker/match/annotator.hpp"
#include "broker/server/api/match_answers.hpp"
#include "broker/server/api/replay_start.hpp"
#include "broker/server/api/services.hpp"
#include "broker/server/api/trial_meter.hpp"
#include "broker/server/http/http_types.hpp"

namespace sluice::server {

class PastTrial {
public:
    // The services and the meter outlive it. `scope` is not empty, and excludes nothing that the filter may not see.
    PastTrial(filter::Filter filter, auth::Scope scope, const SinceStart& start, Services& services, TrialMeter& meter);

    // Does the next piece of the work. Returns the reply after the last one.
    std::optional<HttpReply> proceed();

private:
    std::optional<HttpReply> proceed_unless_short();
    void explain(const broker::PastMatches::Example& example);
    void find_answers(const feed::Event& event);
    HttpReply reply() const;

    const filter::Filter filter_;
    const SinceStart start_;
    base::MemoryBudget& budget_;
    TrialMeter& meter_;
    base::MemoryCharge memory_;  // of the counts and the reply
    broker::PastMatches matches_;
    bool is_counted_ = false;
    const broker::Annotator annotator_;
    broker::BatchFindings findings_;
    MatchAnswers answers_;  // for the examples
    bool takes_too_long_ = false;
    std::vector<boost::json::object> examples_;  // the newest first
};

}  // namespace sluice::server
