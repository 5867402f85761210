// POST /v1/publish
#include <algorithm>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <charconv>
#include <chrono>
#include <deque>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "broker/base/memory/memory_budget.hpp"
#include "broker/core/counters.hpp"
#include "broker/server/api/handlers.hpp"
#include "broker/server/api/idempotent_publish.hpp"
#include "broker/server/api/publish_document.hpp"
#include "broker/server/api/publish_summary.hpp"
#include "broker/server/api/publish_task.hpp"
#include "broker/server/http/body_stream.hpp"
#include "broker/server/http/busy_problems.hpp"
#include "broker/server/http/content_codings.hpp"
#include "broker/server/http/parameters.hpp"
#include "broker/server/http/request_arrival.hpp"
#include "broker/server/http/request_refusals.hpp"
#include "broker/server/net/address_table.hpp"
#include "broker/server/net/transport.hpp"
#include "broker/server/net/turns.hpp"
#include "broker/store/event_log.hpp"
#include "config/options.hpp"
#include "protocol/text/ascii.hpp"
#include "protocol/wire/http/record_splitter.hpp"

namespace sluice::server {

namespace asio = boost::asio;

namespace {

using wire::SplitRecord;

// How much may be under way to the log: the documents whose appends have not ended, and their bytes.
constexpr std::size_t documents_under_way_max = 256;
constexpr std::size_t bytes_under_way_max = 1u << 20;
constexpr std::size_t documents_a_turn = 16;
constexpr std::size_t part_a_turn_bytes = 8u << 10;  // after as much has been read, others have their turn
constexpr std::size_t lines_bytes_max = 64u << 10;   // of the reply, before they are written

constexpr std::string_view body_types = "application/x-ndjson, application/jsonl, application/json-seq";

// What a request asks for, beside what each of its documents has.
struct StreamPlan {
    wire::RecordFraming framing = wire::RecordFraming::lines;
    std::string record_type;  // the media type of a document
    std::string key;          // the request's Idempotency-Key; empty: it has none
    bool streams_reply = false;
    std::uint64_t first_number = 1;
};

std::optional<wire::RecordFraming> framing_of(std::string_view content_type) {
    const std::string type = text::ascii_lower(text::trim(content_type.substr(0, content_type.find(';'))));
    if (type == "application/x-ndjson" || type == "application/ndjson" || type == "application/jsonl" ||
        type == "application/x-jsonl")
        return wire::RecordFraming::lines;
    if (type == "application/json-seq" || type.ends_with("+json-seq")) return wire::RecordFraming::sequence;
    return std::nullopt;
}

bool describes_one_event(const HttpRequest& request) {
    return std::any_of(request.headers->begin(), request.headers->end(), [](const auto& field) {
        return text::ascii_lower(std::string_view(field.name_string())).starts_with("ce-");
    });
}

std::optional<HttpReply> refuse_body_type(const HttpRequest& request, StreamPlan& plan) {
    const auto framing = framing_of(request.header(http::field::content_type));
    if (!framing) {
        HttpReply reply = status_reply(415, "the body is one of " + std::string(body_types) +
                                                "; POST /v1/events publishes one document of any type");
        reply.headers.emplace_back("Accept-Post", body_types);
        return reply;
    }
    plan.framing = *framing;
    if (!content_codings(*request.headers).empty()) {
        HttpReply reply = status_reply(415, "a stream of documents is not compressed");
        reply.headers.emplace_back("Accept-Encoding", "identity");
        return reply;
    }
    if (describes_one_event(request))
        return status_reply(400,
                            "ce- headers describe one event; publish CloudEvents with "
                            "content_type=application/cloudevents+json, one a record");
    return std::nullopt;
}

std::optional<HttpReply> read_key(const HttpRequest& request, std::string& key) {
    if (!has_idempotency_key(request)) return std::nullopt;
    auto read = read_idempotency_key(request);
    if (auto* refusal = std::get_if<HttpReply>(&read)) return std::move(*refusal);
    key = std::get<std::string>(std::move(read));
    return std::nullopt;
}

// Takes the parameters that documents do not have out of the request's query. Returns the reply that refuses it, if
// any.
std::optional<HttpReply> read_plan(HttpRequest& request, StreamPlan& plan) {
    if (auto refusal = refuse_publisher(request)) return refusal;
    if (auto refusal = refuse_unknown_parameters(
            request.query, {"stream", "deduplicate", "repair", "content_type", "reply", "first_number"}))
        return refusal;
    if (auto refusal = refuse_body_type(request, plan)) return refusal;
    plan.record_type = parameter(request.query, "content_type", "application/json");
    const std::string_view reply = parameter(request.query, "reply", "summary");
    if (reply != "summary" && reply != "stream") return bad_parameter("reply", reply, "summary or stream");
    plan.streams_reply = reply == "stream";
    const std::string_view first = parameter(request.query, "first_number", "1");
    const auto [end, error] = std::from_chars(first.data(), first.data() + first.size(), plan.first_number);
    constexpr std::uint64_t first_number_max = std::uint64_t{1} << 53;  // what JSON's readers can count
    if (error != std::errc() || end != first.data() + first.size() || plan.first_number == 0 ||
        plan.first_number > first_number_max)
        return bad_parameter("first_number", first, "a number from 1");
    if (auto refusal = read_key(request, plan.key)) return refusal;
    std::erase_if(request.query, [](const auto& each) {
        return each.first == "content_type" || each.first == "reply" || each.first == "first_number";
    });
    return std::nullopt;
}

// One request. Lives in its handler's coroutine.
class PublishStream {
public:
    PublishStream(Services& services, HttpRequest& request, StreamPlan plan, const asio::any_io_executor& executor)
        : services_(services),
          request_(request),
          body_(*request.body_stream),
          plan_(std::move(plan)),
          executor_(executor),
          bell_(std::make_shared<AppendBell>(executor)),
          splitter_(plan_.framing, services.options.limits.document_bytes),
          summary_(std::string(parameter(request.query, "stream", "default")), plan_.first_number) {
        // Only what has come is published; whether the client has left does not matter.
        request_.transport = nullptr;
        if (request_.address_use != nullptr) share_.emplace(*request_.address_use);
        bell_->on_ring = [this] { body_.interrupt(); };
        services_.publish_streams.fetch_add(1, std::memory_order_relaxed);
    }
    ~PublishStream() {
        bell_->on_ring = nullptr;
        services_.publish_streams.fetch_sub(1, std::memory_order_relaxed);
    }
    PublishStream(const PublishStream&) = delete;
    PublishStream& operator=(const PublishStream&) = delete;

    std::optional<HttpReply> refuse();  // what no document of it could be published with
    asio::awaitable<HttpReply> run();

private:
    using Clock = BodyStream::Clock;
    using End = BodyStream::End;

    // From its record to its reply.
    struct Document {
        DocumentPlace place;
        std::size_t bytes = 0;
        Submission submission{};
        HttpReply reply{};  // means nothing while its append is under way
    };

    asio::awaitable<bool> begin_reply();
    asio::awaitable<End> publish_body();
    asio::awaitable<std::optional<End>> publish_part(std::string_view part);
    asio::awaitable<void> publish_record(SplitRecord& record);
    asio::awaitable<HttpReply> publish_once(Document& document);
    std::optional<HttpReply> make_task();
    asio::awaitable<std::optional<HttpReply>> take_request();
    bool take_room(std::size_t more);
    asio::awaitable<void> wait_for_room(std::size_t more);
    HttpReply room_refusal(std::size_t bytes);
    HttpReply refuse_record(SplitRecord::Fault fault);
    Clock::time_point record_deadline();
    bool is_full() const {
        return under_way_.size() >= documents_under_way_max || bytes_under_way_ >= bytes_under_way_max;
    }
    void settle();
    asio::awaitable<void> wait_for_first();
    asio::awaitable<bool> write_lines();

    Services& services_;
    HttpRequest& request_;  // each document is one like it
    BodyStream& body_;
    const StreamPlan plan_;
    const asio::any_io_executor executor_;
    const std::shared_ptr<AppendBell> bell_;
    wire::RecordSplitter splitter_;
    PublishSummary summary_;
    std::optional<PublishTask> task_;  // of the document that is being published
    std::deque<Document> under_way_;   // in order; only the last may not have been submitted yet
    std::size_t bytes_under_way_ = 0;  // of their records
    std::size_t documents_in_turn_ = 0;
    std::string lines_;          // of the reply, not yet written
    base::MemoryCharge memory_;  // of the record that has begun, and the buffers it comes through; empty: none yet
    std::optional<AddressBytes> share_;  // of the record that has begun
    HttpReply passed_over_;              // why the record that has begun is passed over
    std::uint64_t timed_record_ = 0;     // the number of the one that has begun; 0: none
    Clock::duration record_time_{};      // that its client has taken for it
};

std::optional<HttpReply> PublishStream::make_task() {
    task_.emplace();
    if (auto refusal = read_publish_task(services_, request_, *task_)) return refusal;
    task_->options.content_type = plan_.record_type;
    return std::nullopt;
}

std::optional<HttpReply> PublishStream::refuse() {
    auto refusal = make_task();
    if (!refusal && !take_room(0)) refusal = memory_problem(broker::MemoryShortage::temporary);
    task_.reset();
    return refusal;
}

asio::awaitable<HttpReply> PublishStream::run() {
    if (plan_.streams_reply && !co_await begin_reply()) {
        HttpReply broken;
        broken.is_written = true;
        co_return broken;
    }
    const End end = co_await publish_body();
    while (!under_way_.empty()) {
        co_await wait_for_first();
        settle();
    }
    const store::Durability durability = services_.log.durability();
    HttpReply reply =
        end == End::complete ? summary_.reply(durability) : summary_.reply(durability, body_.refusal(end));
    if (!plan_.streams_reply) co_return reply;
    lines_ += reply.body + "\n";
    reply.is_written = true;
    reply.status = 200;
    if (co_await write_lines()) co_await body_.end_reply();
    co_return reply;
}

asio::awaitable<bool> PublishStream::begin_reply() {
    HttpReply head;
    head.content_type = "application/x-ndjson";
    head.headers.emplace_back("Cache-Control", "no-store");
    head.headers.emplace_back("X-Accel-Buffering", "no");
    return body_.begin_reply(std::move(head));
}

// Returns when nothing more of the body is to be published. Appends may still be under way.
asio::awaitable<BodyStream::End> PublishStream::publish_body() {
    std::optional<End> end;
    std::string part;
    while (!end) {
        settle();
        if (!lines_.empty() && !co_await write_lines()) co_return End::peer_left;
        if (part.size() > part_a_turn_bytes) co_await take_turn(executor_);
        part.clear();
        const Clock::time_point deadline = record_deadline();
        const Clock::time_point begun = deadline == Clock::time_point::max() ? deadline : Clock::now();
        end = co_await body_.read(part, deadline);
        if (begun != Clock::time_point::max()) record_time_ += Clock::now() - begun;
        if (!take_room(part.size())) co_await wait_for_room(part.size());
        if (const auto stopped = co_await publish_part(part)) end = stopped;
    }
    SplitRecord last;
    if (*end == End::complete && splitter_.end(last)) co_await publish_record(last);
    co_return *end;
}

// Publishes the records that end in it. Returns why no more should be.
asio::awaitable<std::optional<BodyStream::End>> PublishStream::publish_part(std::string_view part) {
    SplitRecord record;
    while (splitter_.next(part, record)) {
        if (const auto asked = body_.asked_to_end()) co_return asked;
        co_await publish_record(record);
        if (++documents_in_turn_ == documents_a_turn) {
            documents_in_turn_ = 0;
            co_await take_turn(executor_);
        }
        settle();
        while (is_full()) {
            co_await wait_for_first();
            settle();
        }
        if (lines_.size() >= lines_bytes_max && !co_await write_lines()) co_return End::peer_left;
    }
    co_return body_.asked_to_end();
}

asio::awaitable<void> PublishStream::publish_record(SplitRecord& record) {
    Document& document = under_way_.emplace_back();
    document.place.number = plan_.first_number + record.number - 1;
    document.place.line = record.line;
    document.place.offset = record.offset;
    document.submission.bell = bell_;
    document.submission.wants_reply = plan_.streams_reply || !plan_.key.empty();
    if (record.fault != SplitRecord::Fault::none) {
        document.reply = refuse_record(record.fault);
        co_return;
    }
    document.bytes = record.text.size();
    bytes_under_way_ += document.bytes;
    bool lacks_memory = false;
    try {
        // The request has been counted as one itself.
        if (record.number > 1 && request_.address_use != nullptr && request_.address_use->limits_requests()) {
            if (auto refusal = co_await take_request()) {
                document.reply = std::move(*refusal);
                co_return;
            }
        }
        request_.body = std::move(record.text);
        if (document.bytes > small_body_bytes) {
            request_.memory = std::move(memory_);
            memory_ = {};
        }
        if (!plan_.key.empty())
            document.reply = co_await publish_once(document);
        else if (auto refusal = make_task())
            document.reply = std::move(*refusal);
        else
            document.reply = co_await publish_task(services_, request_, *task_, &document.submission);
    } catch (const std::bad_alloc&) {
        lacks_memory = true;
    }
    task_.reset();
    if (lacks_memory) document.reply = busy_problem("there was no memory for the document");
}

// Its idempotency key is the request's and its number.
asio::awaitable<HttpReply> PublishStream::publish_once(Document& document) {
    const std::string key = plan_.key + "/" + std::to_string(document.place.number);
    const auto digest = co_await digest_somewhere(services_, request_);
    if (!digest) co_return busy_problem("too many large documents are being parsed");
    if (auto refusal = make_task()) co_return std::move(*refusal);
    co_return co_await publish_task_once(services_, request_, *task_, key, *digest, &document.submission);
}

// Each document is a request of its address, for which it waits. Returns the reply if that would be too long.
asio::awaitable<std::optional<HttpReply>> PublishStream::take_request() {
    const Clock::time_point give_up = Clock::now() + services_.options.publish.wait;
    asio::steady_timer timer(executor_);
    for (;;) {
        const Clock::time_point now = Clock::now();
        const auto wait = request_.address_use->take_request(now);
        if (!wait) co_return std::nullopt;
        if (now + *wait > give_up || services_.draining) co_return rate_problem(services_, *wait);
        timer.expires_after(*wait);
        co_await timer.async_wait(no_throw);
    }
}

// For `more` bytes that have come. Returns false if there is no room for the record that has begun.
bool PublishStream::take_room(std::size_t more) {
    const std::size_t record_bytes = static_cast<std::size_t>(splitter_.pending_bytes()) + more;
    if (share_ && !share_->resize(record_bytes)) return false;
    if (!memory_) memory_ = services_.memory.charge(base::MemoryUse::bodies, 0);
    return memory_ && memory_.resize(body_.memory_bytes() + 2 * more + splitter_.memory_bytes(more));
}

// Until there is, or the record is given up.
asio::awaitable<void> PublishStream::wait_for_room(std::size_t more) {
    constexpr std::chrono::milliseconds first_pause{2}, longest_pause{50};
    const std::size_t bytes = static_cast<std::size_t>(splitter_.pending_bytes()) + more;
    const bool can_fit = services_.memory.could_fit(base::MemoryUse::bodies, bytes, connection_memory_bytes) &&
                         (!share_ || share_->bytes_max() == 0 || bytes <= share_->bytes_max());
    const Clock::time_point give_up = Clock::now() + services_.options.publish.wait;
    asio::steady_timer timer(executor_);
    for (Clock::duration pause = first_pause; can_fit && Clock::now() + pause < give_up && !services_.draining;
         pause = std::min<Clock::duration>(2 * pause, longest_pause)) {
        timer.expires_after(pause);
        co_await timer.async_wait(no_throw);
        if (take_room(more)) co_return;
    }
    // What has come without the rest of a record is little, and the documents in it need memory of their own.
    if (splitter_.pending_bytes() != 0) {
        passed_over_ = room_refusal(bytes);
        splitter_.pass_over();
    }
    memory_.force_resize(body_.memory_bytes() + 2 * more);
}

HttpReply PublishStream::room_refusal(std::size_t bytes) {
    if (share_ && !share_->resize(bytes)) {
        broker::count(services_.counters.requests_refused[broker::RequestRefusal::address_bytes]);
        const std::string limit = "limits.address_bytes, " + std::to_string(share_->bytes_max());
        if (bytes > share_->bytes_max()) return status_reply(413, "the document is larger than " + limit);
        return share_problem("more bytes of requests are under way than " + limit, std::chrono::seconds(1));
    }
    broker::count(services_.counters.documents_refused[broker::DocumentRefusal::memory]);
    const bool could_fit = services_.memory.could_fit(base::MemoryUse::bodies, bytes, connection_memory_bytes);
    return memory_problem(could_fit ? broker::MemoryShortage::temporary : broker::MemoryShortage::permanent);
}

HttpReply PublishStream::refuse_record(SplitRecord::Fault fault) {
    if (fault == SplitRecord::Fault::passed_over) return std::exchange(passed_over_, {});
    const bool is_large = fault == SplitRecord::Fault::too_large;
    broker::count(services_.counters.documents_refused[is_large ? broker::DocumentRefusal::too_large
                                                                : broker::DocumentRefusal::invalid]);
    if (is_large)
        return status_reply(413, "a document has at most limits.document_bytes, " +
                                     std::to_string(services_.options.limits.document_bytes) + ", bytes");
    return status_reply(400, fault == SplitRecord::Fault::no_separator
                                 ? "a record of application/json-seq begins with the character RS (0x1E)"
                                 : "the record does not end with a line feed, so its end may be missing");
}

// Between records a client may be silent for as long as it likes. A record must come as fast as the body of another
// request; what the broker takes for other documents is not its client's time.
BodyStream::Clock::time_point PublishStream::record_deadline() {
    const auto& limits = services_.options.http;
    if (splitter_.pending_bytes() == 0) {
        timed_record_ = 0;
        return Clock::time_point::max();
    }
    if (std::exchange(timed_record_, splitter_.records() + 1) != splitter_.records() + 1) record_time_ = {};
    const Clock::time_point begun = Clock::now() - record_time_;
    const auto received = static_cast<std::size_t>(splitter_.pending_bytes());
    return std::min(begun + limits.request_timeout, slow_body_deadline(begun, received, limits.body_rate));
}

// Tells of the first documents that are done.
void PublishStream::settle() {
    while (!under_way_.empty() && !under_way_.front().submission.is_under_way()) {
        Document& document = under_way_.front();
        if (document.submission.append != nullptr) document.reply = reply_to(services_, document.submission);
        summary_.add(document.place, document.reply, document.submission.result, document.submission.items_refused);
        if (plan_.streams_reply) lines_ += document_line(document.place, document.reply);
        bytes_under_way_ -= document.bytes;
        under_way_.pop_front();
    }
}

asio::awaitable<void> PublishStream::wait_for_first() {
    while (!under_way_.empty() && under_way_.front().submission.is_under_way())
        co_await bell_->timer.async_wait(no_throw);
}

// Returns false if the client has left.
asio::awaitable<bool> PublishStream::write_lines() {
    if (lines_.empty()) co_return true;
    const bool written = co_await body_.write(lines_);
    lines_.clear();
    co_return written;
}

}  // namespace

asio::awaitable<HttpReply> publish_stream(Services& services, HttpRequest& request) {
    StreamPlan plan;
    if (auto refusal = read_plan(request, plan)) co_return std::move(*refusal);
    const auto executor = co_await asio::this_coro::executor;
    PublishStream stream(services, request, std::move(plan), executor);
    if (auto refusal = stream.refuse()) co_return std::move(*refusal);
    co_return co_await stream.run();
}

}  // namespace sluice::server
