// Says to the broker what has become of the events of a durable subscription, from a thread of its own: of many events
// in one request, soon after the first. Extends what waits to be handled, so that it is not delivered again meanwhile.
// A request that fails and may be repeated is repeated. Any thread may call it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "broker/cli/client/backoff.hpp"
#include "broker/cli/client/http_client.hpp"
#include "broker/cli/client/subscription_path.hpp"

namespace sluice::cli {

class Acknowledger {
public:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::milliseconds delay_max{50};  // after the first event of a request
    static constexpr std::size_t events_enough = 100;          // for a request at once
    static constexpr std::chrono::seconds flush_max{5};

    struct Subscription {
        std::string name;
        std::string ack_wait;  // as the broker writes it
        std::chrono::microseconds ack_wait_time{};
        SubscriptionOwner owner{};
    };

    // `server` has to outlive it.
    Acknowledger(const HttpServer& server, Subscription subscription);
    // What has not been sent is forgotten.
    ~Acknowledger();
    Acknowledger(const Acknowledger&) = delete;
    Acknowledger& operator=(const Acknowledger&) = delete;

    // The event with this id, as in the event stream, has come and waits to be handled. Returns false if it does so
    // already.
    bool hold(const std::string& id);
    // What waits will come again: the connection is lost.
    void forget_held();

    void acknowledge(const std::string& id);
    // It is to be delivered again after `retry_delay`.
    void reject(const std::string& id, const std::string& reason, const std::string& retry_delay);

    // Sends what there is, and waits for the reply, but no longer than flush_max. Returns whether everything has been
    // sent; else it is tried again.
    bool flush();

    // A refusal after which nothing is sent any more.
    std::optional<HttpReply> refusal() const;
    // How many events are handled, without the broker knowing it; and why, if a request has failed.
    struct Unsent {
        std::size_t events = 0;
        std::string reason;
    };
    Unsent unsent() const;

private:
    struct Rejection {
        std::string id, reason, retry_delay;
    };
    // Of one request.
    struct Batch {
        std::vector<std::string> acknowledged, extended;
        std::vector<Rejection> rejected;
    };

    std::size_t events() const { return acknowledged_.size() + rejected_.size(); }
    void note_handled();
    void run();
    Clock::time_point next_time() const;
    Batch take_batch(Clock::time_point now);
    HttpRequest request_of(const Batch& batch) const;
    void note(const boost::system::result<HttpReply, HttpError>& reply, Batch batch);

    const HttpServer& server_;
    const Subscription subscription_;
    const std::chrono::microseconds extend_after_;  // what waits

    mutable std::mutex mutex_;
    std::condition_variable work_, progress_;
    std::vector<std::string> acknowledged_;  // not sent yet
    std::vector<Rejection> rejected_;
    std::map<std::string, Clock::time_point> held_;  // and when to extend it
    Clock::time_point send_at_{};                    // what is not sent
    std::size_t sending_ = 0, failures_ = 0;
    std::string failure_;  // of the last request; empty: it has succeeded
    std::optional<HttpReply> refusal_;
    Backoff backoff_;
    bool is_flushing_ = false, is_ending_ = false;
    std::thread thread_;
};

}  // namespace sluice::cli
