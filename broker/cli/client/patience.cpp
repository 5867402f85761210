#include "broker/cli/client/patience.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "broker/cli/common/interrupt.hpp"

namespace sluice::cli {

namespace {

using Clock = std::chrono::steady_clock;

constexpr unsigned retry_seconds_max = 60;  // a broker that wants more is not merely busy
constexpr unsigned too_many_requests = 429, unavailable = 503, disk_full = 507;

std::string describe_shortage(unsigned status) {
    if (status == too_many_requests) return "the broker takes no more from this address now";
    return status == disk_full ? "the broker's disk is full" : "the broker is busy";
}

}  // namespace

bool is_refused_for_now(unsigned status) {
    return status == too_many_requests || status == unavailable || status == disk_full;
}

std::optional<unsigned> seconds_to_retry(const HttpReply& reply) {
    const bool is_soon = reply.retry_after_seconds && *reply.retry_after_seconds <= retry_seconds_max;
    return is_soon && is_refused_for_now(reply.status) ? reply.retry_after_seconds : std::nullopt;
}

bool wait_to_retry(const HttpReply& reply, unsigned seconds, const std::function<void(const std::string&)>& tell) {
    constexpr std::chrono::milliseconds pause_max{100};  // an interrupt does not end a sleep
    if (Interrupt::requested()) return false;
    tell(describe_shortage(reply.status) + "; trying again in " + std::to_string(seconds) + " s");
    const Clock::time_point end = Clock::now() + std::chrono::seconds(seconds);
    for (Clock::time_point now; (now = Clock::now()) < end && !Interrupt::requested();)
        std::this_thread::sleep_for(std::min<Clock::duration>(pause_max, end - now));
    return !Interrupt::requested();
}

boost::system::result<HttpReply, HttpError> send_patiently(const HttpServer& server, const HttpRequest& request,
                                                           const HttpWatch& watch,
                                                           const std::function<void(const std::string&)>& tell) {
    for (int tries = 1;; ++tries) {
        auto reply = send(server, request, watch);
        const auto seconds = reply ? seconds_to_retry(*reply) : std::nullopt;
        if (!seconds || tries == tries_max || !wait_to_retry(*reply, *seconds, tell)) return reply;
    }
}

}  // namespace sluice::cli
