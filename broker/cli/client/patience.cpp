#include "broker/cli/client/patience.hpp"

#include <algorithm>
#include <chrono>
#include <random>
#include <thread>
#include <utility>

#include "broker/cli/client/backoff.hpp"
#include "broker/cli/common/interrupt.hpp"
#include "broker/cli/common/with_digits.hpp"
#include "protocol/text/ascii.hpp"

namespace sluice::cli {

namespace {

using Clock = std::chrono::steady_clock;

constexpr unsigned retry_seconds_max = 60;  // a broker that wants more is not merely busy
constexpr unsigned conflict = 409, too_many_requests = 429, unavailable = 503, disk_full = 507;
constexpr int losses_max = 5;  // of the connections of a document
constexpr const char* key_field = "Idempotency-Key: ";

std::string describe_shortage(unsigned status) {
    if (status == too_many_requests) return "the broker takes no more from this address now";
    if (status == conflict) return "the broker is still publishing it";
    return status == disk_full ? "the broker's disk is full" : "the broker is busy";
}

// 32 hexadecimal digits.
std::string random_key() {
    constexpr std::string_view digits = "0123456789abcdef";
    std::random_device random;
    std::string key;
    for (int i = 0; i < 32; ++i) key += digits[random() % digits.size()];
    return key;
}

// Among the fields that the user adds to each request.
bool has_key(const HttpServer& server) {
    const auto is_key = [](const std::string& header) {
        return text::ascii_lower(header).starts_with("idempotency-key:");
    };
    const auto& headers = server.credentials.headers;
    return std::any_of(headers.begin(), headers.end(), is_key);
}

// Returns false if an Interrupt asks the work to stop.
bool wait(Clock::duration duration) {
    constexpr std::chrono::milliseconds pause_max{100};  // an interrupt does not end a sleep
    const Clock::time_point end = Clock::now() + duration;
    for (Clock::time_point now; (now = Clock::now()) < end && !Interrupt::requested();)
        std::this_thread::sleep_for(std::min<Clock::duration>(pause_max, end - now));
    return !Interrupt::requested();
}

// The time in which connections of a document may be lost.
class Losses {
public:
    explicit Losses(std::chrono::milliseconds longest) : longest_(longest) {}

    bool any() const { return count_ > 0; }
    // Tells why, and waits. Returns false if the document is not to be sent again.
    bool wait_after(const HttpError& error, const std::function<void(const std::string&)>& tell) {
        if (!error.is_lost && !any()) return false;  // such as a wrong address
        const auto now = Clock::now();
        if (!any()) end_ = now + longest_;
        const auto pause = backoff_.next();
        if (++count_ > losses_max || now + pause > end_ || Interrupt::requested()) return false;
        tell(error.message + "; sending it again in " + with_digits(std::chrono::duration<double>(pause).count(), 1) +
             " s");
        return wait(pause);
    }

private:
    const std::chrono::milliseconds longest_;
    Backoff backoff_{random_share};
    Clock::time_point end_{};
    int count_ = 0;
};

}  // namespace

bool is_refused_for_now(unsigned status) {
    return status == too_many_requests || status == unavailable || status == disk_full;
}

std::optional<unsigned> seconds_to_retry(const HttpReply& reply) {
    const bool is_soon = reply.retry_after_seconds && *reply.retry_after_seconds <= retry_seconds_max;
    return is_soon && is_refused_for_now(reply.status) ? reply.retry_after_seconds : std::nullopt;
}

bool wait_to_retry(const HttpReply& reply, unsigned seconds, const std::function<void(const std::string&)>& tell) {
    if (Interrupt::requested()) return false;
    tell(describe_shortage(reply.status) + "; trying again in " + std::to_string(seconds) + " s");
    return wait(std::chrono::seconds(seconds));
}

boost::system::result<HttpReply, HttpError> send_document(const HttpServer& server, HttpRequest request,
                                                          const HttpWatch& watch,
                                                          const std::function<void(const std::string&)>& tell) {
    if (!has_key(server)) request.headers.push_back(key_field + random_key());
    Losses losses(server.silence_max);
    for (int tries = 1;; ++tries) {
        auto reply = send(server, request, watch);
        if (tries == tries_max) return reply;
        if (!reply) {
            if (!losses.wait_after(reply.error(), tell)) return reply;
            continue;
        }
        // The broker may still be at work on what came by a connection that was lost.
        const bool is_in_progress = losses.any() && reply->status == conflict;
        const auto seconds = is_in_progress ? reply->retry_after_seconds : seconds_to_retry(*reply);
        if (!seconds || !wait_to_retry(*reply, *seconds, tell)) return reply;
    }
}

}  // namespace sluice::cli
