#include "broker/cli/client/acknowledger.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <exception>
#include <iterator>
#include <utility>

#include "broker/cli/client/problem.hpp"

namespace sluice::cli {

namespace json = boost::json;

namespace {

constexpr std::size_t batch_max = 10'000;  // of each kind; the broker takes 65,536 in all

// Often enough that one request may fail.
std::chrono::microseconds extension_interval(std::chrono::microseconds ack_wait) {
    constexpr std::chrono::milliseconds least{10};
    return std::max<std::chrono::microseconds>(ack_wait / 3, least);
}

bool is_success(unsigned status) { return status >= 200 && status < 300; }

// Otherwise the same request may succeed later.
bool is_refusal(unsigned status) {
    constexpr unsigned timeout = 408, too_many = 429, server_error = 500;
    return !is_success(status) && status < server_error && status != timeout && status != too_many;
}

template <class Value>
std::vector<Value> take_first(std::vector<Value>& values) {
    const auto end = values.begin() + static_cast<std::ptrdiff_t>(std::min(values.size(), batch_max));
    std::vector<Value> first(std::make_move_iterator(values.begin()), std::make_move_iterator(end));
    values.erase(values.begin(), end);
    return first;
}

template <class Value>
void put_back(std::vector<Value> first, std::vector<Value>& values) {
    values.insert(values.begin(), std::make_move_iterator(first.begin()), std::make_move_iterator(first.end()));
}

}  // namespace

Acknowledger::Acknowledger(const HttpServer& server, Subscription subscription)
    : server_(server),
      subscription_(std::move(subscription)),
      extend_after_(extension_interval(subscription_.ack_wait_time)),
      backoff_(random_share),
      thread_([this] { run(); }) {}

Acknowledger::~Acknowledger() {
    {
        const std::lock_guard lock(mutex_);
        is_ending_ = true;
    }
    work_.notify_one();
    thread_.join();
}

bool Acknowledger::hold(const std::string& id) {
    const std::lock_guard lock(mutex_);
    const bool is_new = held_.emplace(id, Clock::now() + extend_after_).second;
    if (held_.size() == 1) work_.notify_one();
    return is_new;
}

void Acknowledger::forget_held() {
    const std::lock_guard lock(mutex_);
    held_.clear();
}

void Acknowledger::acknowledge(const std::string& id) {
    const std::lock_guard lock(mutex_);
    held_.erase(id);
    acknowledged_.push_back(id);
    note_handled();
}

void Acknowledger::reject(const std::string& id, const std::string& reason, const std::string& retry_delay) {
    const std::lock_guard lock(mutex_);
    held_.erase(id);
    rejected_.push_back({id, reason, retry_delay});
    note_handled();
}

void Acknowledger::note_handled() {
    if (events() == 1 && failure_.empty()) send_at_ = Clock::now() + delay_max;
    if (events() == 1 || events() == events_enough) work_.notify_one();
}

bool Acknowledger::flush() {
    std::unique_lock lock(mutex_);
    const std::size_t failures_before = failures_;
    const auto is_empty = [this] { return events() == 0 && sending_ == 0; };
    is_flushing_ = true;
    work_.notify_one();
    progress_.wait_for(lock, flush_max, [&] { return refusal_ || failures_ != failures_before || is_empty(); });
    is_flushing_ = false;
    return !refusal_ && is_empty();
}

std::optional<HttpReply> Acknowledger::refusal() const {
    const std::lock_guard lock(mutex_);
    return refusal_;
}

Acknowledger::Unsent Acknowledger::unsent() const {
    const std::lock_guard lock(mutex_);
    return {events() + sending_, failure_};
}

void Acknowledger::run() {
    std::unique_lock lock(mutex_);
    try {
        while (!is_ending_ && !refusal_) {
            const auto now = Clock::now();
            if (const auto time = next_time(); time > now) {
                time == Clock::time_point::max() ? work_.wait(lock) : static_cast<void>(work_.wait_until(lock, time));
                continue;
            }
            Batch batch = take_batch(now);
            const HttpRequest request = request_of(batch);
            HttpWatch watch;
            watch.stops = [this] {
                const std::lock_guard ending_lock(mutex_);
                return is_ending_;
            };
            lock.unlock();
            const auto reply = send(server_, request, watch);
            lock.lock();
            if (!is_ending_) note(reply, std::move(batch));
            progress_.notify_all();
        }
    } catch (const std::exception& error) {
        if (!lock.owns_lock()) lock.lock();
        refusal_ = HttpReply{.body = error.what()};
        progress_.notify_all();
    }
}

// When to send something; max(): there is nothing.
Acknowledger::Clock::time_point Acknowledger::next_time() const {
    const auto first_due =
        std::min_element(held_.begin(), held_.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    const auto extend_at = first_due == held_.end() ? Clock::time_point::max() : first_due->second;
    if (events() != 0 && is_flushing_) return Clock::time_point::min();
    if (!failure_.empty()) return events() == 0 ? std::max(extend_at, send_at_) : send_at_;
    if (events() == 0) return extend_at;
    if (events() >= events_enough) return Clock::time_point::min();
    return std::min(extend_at, send_at_);
}

// With what is to be extended soon, so that requests stay few.
Acknowledger::Batch Acknowledger::take_batch(Clock::time_point now) {
    const auto soon = now + extend_after_ / 2;
    Batch batch;
    batch.acknowledged = take_first(acknowledged_);
    batch.rejected = take_first(rejected_);
    for (const auto& [id, time] : held_)
        if (time <= soon && batch.extended.size() < batch_max) batch.extended.push_back(id);
    sending_ = batch.acknowledged.size() + batch.rejected.size();
    return batch;
}

HttpRequest Acknowledger::request_of(const Batch& batch) const {
    json::object body;
    if (!batch.acknowledged.empty()) body["ids"] = json::value_from(batch.acknowledged);
    json::array rejected, extended;
    for (const Rejection& each : batch.rejected)
        rejected.push_back({{"id", each.id}, {"delay", each.retry_delay}, {"reason", each.reason}});
    for (const std::string& id : batch.extended) extended.push_back({{"id", id}, {"by", subscription_.ack_wait}});
    if (!rejected.empty()) body["nack"] = std::move(rejected);
    if (!extended.empty()) body["extend"] = std::move(extended);
    HttpRequest request;
    request.method = "POST";
    request.target = subscription_path(subscription_.name, "/ack", subscription_.owner);
    request.content_type = "application/json";
    request.body = json::serialize(body);
    return request;
}

void Acknowledger::note(const boost::system::result<HttpReply, HttpError>& reply, Batch batch) {
    sending_ = 0;
    if (reply && is_success(reply->status)) {
        failure_.clear();
        backoff_.reset();
        const auto again = Clock::now() + extend_after_;
        for (const std::string& id : batch.extended)
            if (const auto found = held_.find(id); found != held_.end()) found->second = again;
        return;
    }
    put_back(std::move(batch.acknowledged), acknowledged_);
    put_back(std::move(batch.rejected), rejected_);
    if (reply && is_refusal(reply->status)) {
        refusal_ = *reply;
        return;
    }
    failure_ = reply ? describe_problem(*reply, "the broker") : reply.error().message;
    ++failures_;
    is_flushing_ = false;  // it is tried once
    send_at_ = Clock::now() + backoff_.next();
}

}  // namespace sluice::cli
