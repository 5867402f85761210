// Bounds the work of a trial, POST /v1/match or GET /v1/events/ID/why, and ends it when nobody waits for its reply.
// Belongs to the trial.
#pragma once

#include <chrono>
#include <exception>

#include "broker/server/api/services.hpp"
#include "broker/server/http/http_types.hpp"
#include "config/options.hpp"

namespace sluice::server {

struct TakesTooLong : std::exception {};
struct NotWanted : std::exception {};  // the client has left, or the daemon is ending

// A trial's computed conditions together may take as long as those of one kind for an event. It counts estimates, so
// the same trial always ends in the same way.
class TrialMeter {
public:
    TrialMeter(const Services& services, const HttpRequest& request)
        : services_(services), request_(request), ns_max_(Nanoseconds(services.options.limits.event_time).count()) {}

    void check_wanted() const {
        if (services_.ending || request_.is_abandoned()) throw NotWanted();
    }
    void spend(double ns) {
        check_wanted();
        spent_ns_ += ns;
        if (spent_ns_ > ns_max_) throw TakesTooLong();
    }

private:
    using Nanoseconds = std::chrono::duration<double, std::nano>;

    const Services& services_;
    const HttpRequest& request_;
    const double ns_max_;
    double spent_ns_ = 0;
};

}  // namespace sluice::server
