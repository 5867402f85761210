// POST /v1/publish
#include <algorithm>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "broker/base/log.hpp"
#include "broker/base/memory/memory_budget.hpp"
#include "broker/core/counters.hpp"
#include "broker/server/api/handlers.hpp"
#include "broker/server/api/publish_document.hpp"
#include "broker/server/api/publish_stream_plan.hpp"
#include "broker/server/api/publish_summary.hpp"
#include "broker/server/api/publish_task.hpp"
#include "broker/server/http/body_stream.hpp"
#include "broker/server/http/busy_problems.hpp"
#include "broker/server/http/document_replies.hpp"
#include "broker/server/http/parameters.hpp"
#include "broker/server/http/request_arrival.hpp"
#include "broker/server/http/request_refusals.hpp"
#include "broker/server/net/address_table.hpp"
#include "broker/server/net/transport.hpp"
#include "broker/server/net/turns.hpp"
#include "broker/store/event_log.hpp"
#include "config/options.hpp"
#include "protocol/text/digest.hpp"
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
// Of the reply, before they are written. With another line, still as one piece (piece_bytes in turns.hpp).
constexpr std::size_t lines_bytes_max = 56u << 10;
constexpr std::chrono::milliseconds first_look{2}, longest_look{50};  // between looks for what it waits for

// One request. Lives in its handler's coroutine.
class PublishStream final : private DocumentReplies {
public:
    PublishStream(Services& services, HttpRequest& request, PublishStreamPlan plan,
                  const asio::any_io_executor& executor)
        : services_(services),
          request_(request),
          body_(*request.body_stream),
          plan_(std::move(plan)),
          executor_(executor),
          wake_up_(std::make_shared<WakeUp>(executor)),
          splitter_(plan_.framing, services.options.limits.document_bytes),
          summary_(std::string(parameter(request.query, "stream", "default")), plan_.first_number) {
        // Only what has come is published; whether the client has left does not matter.
        request_.transport = nullptr;
        if (plan_.streams_reply) body_.document_replies = this;
        if (request_.address_use != nullptr) share_.emplace(*request_.address_use);
        wake_up_->on_wake = [this] { body_.interrupt(); };
        services_.publish_streams.fetch_add(1, std::memory_order_relaxed);
    }
    ~PublishStream() override {
        wake_up_->on_wake = nullptr;
        body_.document_replies = nullptr;
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
        std::size_t bytes = 0;  // of its record
        Submission submission{};
        bool is_submitted = false;    // false: it waits for something before its append
        HttpReply reply{};            // means nothing while its append is under way
        std::size_t reply_bytes = 0;  // once it is submitted

        bool is_done() const { return is_submitted && !submission.is_under_way(); }
    };

    asio::awaitable<bool> begin_reply();
    asio::awaitable<End> publish_body();
    asio::awaitable<std::optional<End>> publish_part();
    asio::awaitable<std::optional<End>> publish_record(SplitRecord& record);
    asio::awaitable<HttpReply> publish_once(Document& document);
    std::optional<HttpReply> make_task();
    asio::awaitable<std::optional<HttpReply>> take_request();
    void forget_last();
    std::optional<End> why_stop() const;
    bool is_refused_for_now(const Document& document) const;

    std::size_t record_bytes() const { return splitter_.kept_bytes() + part_.size(); }
    std::size_t room_bytes() const;
    bool take_room();
    void hold_room();
    void hand_over_room();
    void rest();
    void free_room();
    bool could_fit() const;
    asio::awaitable<void> wait_for_room();
    HttpReply room_refusal();
    HttpReply refuse_record(SplitRecord::Fault fault);
    Clock::time_point record_deadline();

    bool is_full() const {
        return under_way_.size() >= documents_under_way_max || bytes_under_way_ >= bytes_under_way_max;
    }
    void settle();
    void tell_of(Document& document);
    HttpReply reply_without_memory(Document& document);
    asio::awaitable<void> wait_for_first();
    bool has_unwritten() override;
    asio::awaitable<bool> write_unwritten() override;
    asio::awaitable<bool> write_lines();

    Services& services_;
    HttpRequest& request_;  // each document is one like it
    BodyStream& body_;
    const PublishStreamPlan plan_;
    const asio::any_io_executor executor_;
    const std::shared_ptr<WakeUp> wake_up_;
    std::string part_;  // of the body, whose records are being published
    wire::RecordSplitter splitter_;
    PublishSummary summary_;
    std::optional<PublishTask> task_;  // of the document that is being published
    std::deque<Document> under_way_;   // in order; only the last may not have been submitted yet
    std::size_t bytes_under_way_ = 0;  // of their records
    std::size_t reply_bytes_ = 0;      // of the replies among them that are known
    std::size_t documents_in_turn_ = 0;
    std::string lines_;                          // of the reply, not yet written
    bool is_broken_ = false;                     // they can't be
    bool lacks_memory_ = false;                  // what became of a document could not be told
    base::MemoryCharge memory_;                  // for room_bytes(); empty: none yet
    std::optional<AddressBytes> share_;          // for record_bytes()
    HttpReply passed_over_;                      // why the record that has begun is passed over
    std::optional<std::uint64_t> timed_record_;  // the offset of the one that has begun; none: none has
    Clock::duration record_time_{};              // that its client has taken for it
};

std::optional<HttpReply> PublishStream::make_task() {
    task_.emplace();
    if (auto refusal = read_publish_task(services_, request_, *task_)) return refusal;
    task_->options.content_type = plan_.record_type;
    return std::nullopt;
}

std::optional<HttpReply> PublishStream::refuse() {
    auto refusal = make_task();
    if (!refusal && !take_room()) refusal = memory_problem(broker::MemoryShortage::temporary);
    task_.reset();
    return refusal;
}

// Whatever happens, it waits for the appends that are under way: a key that were free before could publish its document
// twice.
asio::awaitable<HttpReply> PublishStream::run() {
    if (plan_.streams_reply && !co_await begin_reply()) {
        HttpReply broken;
        broken.is_written = true;
        co_return broken;
    }
    End end = End::no_memory;
    try {
        end = co_await publish_body();
    } catch (const std::bad_alloc& error) {
        base::log_failure("a stream of documents has ended", error.what());
        if (!under_way_.empty() && !under_way_.back().is_submitted) forget_last();
        if (is_broken_) lines_.clear();
    }
    free_room();
    while (!under_way_.empty()) {
        co_await wait_for_first();
        settle();
        if (!lines_.empty()) co_await write_lines();
    }
    if (lacks_memory_) end = End::no_memory;
    const store::Durability durability = services_.log.durability();
    HttpReply reply =
        end == End::complete ? summary_.reply(durability) : summary_.reply(durability, body_.refusal(end));
    if (!plan_.streams_reply) co_return reply;
    reply.is_written = true;
    reply.status = 200;
    if (is_broken_) co_return reply;
    lines_ += reply.body + "\n";
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
    while (!end) {
        if (part_.size() > part_a_turn_bytes) co_await take_turn(executor_);
        if (has_unwritten()) co_await write_unwritten();
        if (is_broken_) co_return End::peer_left;
        // From here nothing suspends until read() waits: a wake-up meanwhile would not interrupt it.
        rest();
        const Clock::time_point deadline = record_deadline();
        const Clock::time_point begun = deadline == Clock::time_point::max() ? deadline : Clock::now();
        end = co_await body_.read(part_, deadline);
        if (begun != Clock::time_point::max()) record_time_ += Clock::now() - begun;
        if (!take_room()) co_await wait_for_room();
        if (const auto stopped = co_await publish_part()) end = stopped;
    }
    SplitRecord last;
    if (*end == End::complete && splitter_.end(last)) {
        auto stopped = why_stop();
        if (!stopped) stopped = co_await publish_record(last);
        if (stopped) end = stopped;
    }
    co_return *end;
}

// Publishes the records that end in it. Returns why no more should be.
asio::awaitable<std::optional<BodyStream::End>> PublishStream::publish_part() {
    SplitRecord record;
    std::string_view input = part_;
    while (splitter_.next(input, record)) {
        auto stopped = why_stop();
        if (!stopped) stopped = co_await publish_record(record);
        if (stopped) co_return stopped;
        if (++documents_in_turn_ == documents_a_turn) {
            documents_in_turn_ = 0;
            if (has_unwritten()) co_await write_unwritten();
            hold_room();
            co_await take_turn(executor_);
        }
        settle();
        while (is_full()) {
            if (!lines_.empty()) co_await write_lines();
            co_await wait_for_first();
            settle();
        }
        if (lines_.size() >= lines_bytes_max) co_await write_lines();
    }
    if (is_broken_) co_return End::peer_left;
    co_return std::nullopt;
}

// Why no further document should be published, though there may be some.
std::optional<BodyStream::End> PublishStream::why_stop() const {
    if (is_broken_) return End::peer_left;
    if (lacks_memory_) return End::no_memory;
    if (services_.draining) return End::draining;
    return body_.asked_to_end();
}

// Returns why it was not published, if the stream ends with that: then it is as if the record had not come.
asio::awaitable<std::optional<BodyStream::End>> PublishStream::publish_record(SplitRecord& record) {
    Document& document = under_way_.emplace_back();
    document.place.number = plan_.first_number + record.number - 1;
    document.place.line = record.line;
    document.place.offset = record.offset;
    document.bytes = record.text.size();
    document.submission.wake_up = wake_up_;
    document.submission.wants_reply = plan_.streams_reply || !plan_.key.empty();
    bytes_under_way_ += document.bytes;
    bool lacks_memory = false;
    try {
        request_.body = std::move(record.text);
        if (document.bytes > small_body_bytes) hand_over_room();
        // The request has been counted as one itself.
        const bool is_counted =
            record.number == 1 || request_.address_use == nullptr || !request_.address_use->limits_requests();
        std::optional<HttpReply> refusal;
        if (!is_counted) refusal = co_await take_request();
        if (!refusal && record.fault != SplitRecord::Fault::none) refusal = refuse_record(record.fault);
        if (!refusal && plan_.key.empty()) refusal = make_task();
        if (refusal)
            document.reply = std::move(*refusal);
        else if (plan_.key.empty())
            document.reply = co_await publish_task(services_, request_, *task_, &document.submission);
        else
            document.reply = co_await publish_once(document);
    } catch (const std::bad_alloc&) {
        lacks_memory = true;
    }
    // What one that was refused has left.
    task_.reset();
    std::string().swap(request_.body);
    request_.memory.release();
    if (lacks_memory) document.reply = busy_problem("there was no memory for the document");
    if (is_refused_for_now(document)) {
        if (const auto stopped = why_stop()) {
            forget_last();
            co_return stopped;
        }
    }
    document.is_submitted = true;
    document.reply_bytes = document.reply.body.size();
    reply_bytes_ += document.reply_bytes;
    co_return std::nullopt;
}

// Whether it was certainly not published, though nothing is wrong with it: as when the broker shuts down.
bool PublishStream::is_refused_for_now(const Document& document) const {
    if (document.submission.append != nullptr) return false;
    if (document.reply.status != 429 && document.reply.status != 503) return false;
    return services_.log.state().condition != store::LogState::Condition::failed;
}

// The document that has not been submitted.
void PublishStream::forget_last() {
    bytes_under_way_ -= under_way_.back().bytes;
    under_way_.pop_back();
}

// Its idempotency key is the request's and its number, with a space between them, which the request's can't have.
asio::awaitable<HttpReply> PublishStream::publish_once(Document& document) {
    const std::string key = plan_.key + " " + std::to_string(document.place.number);
    const auto of_request = co_await digest_somewhere(services_, request_);
    if (!of_request) co_return busy_problem("too many large documents are being parsed");
    if (auto refusal = make_task()) co_return std::move(*refusal);
    // The request's query does not have what the documents are any more.
    const std::string_view bytes(reinterpret_cast<const char*>(of_request->data()), sizeof *of_request);
    const text::Digest digest = text::digest(plan_.record_type, bytes);
    co_return co_await publish_task_once(services_, request_, *task_, key, digest, &document.submission);
}

// Each document is a request of its address, for which it waits. Returns the reply if that would be too long.
asio::awaitable<std::optional<HttpReply>> PublishStream::take_request() {
    const Clock::time_point give_up = Clock::now() + services_.options.publish.wait;
    asio::steady_timer timer(executor_);
    for (;;) {
        const Clock::time_point now = Clock::now();
        const auto wait = request_.address_use->take_request(now);
        if (!wait) co_return std::nullopt;
        if (now + *wait > give_up || why_stop()) co_return rate_problem(services_, *wait);
        if (has_unwritten()) co_await write_unwritten();
        timer.expires_after(std::min<Clock::duration>(*wait, longest_look));
        co_await timer.async_wait(no_throw);
    }
}

// The buffers that the body comes through, the records that are copied out of the part, the record that has begun, and
// replies.
std::size_t PublishStream::room_bytes() const {
    return body_.memory_bytes() + part_.capacity() + part_.size() + splitter_.memory_bytes(part_.size()) +
           lines_.capacity() + reply_bytes_;
}

// Returns false if there is none for the part that has come.
bool PublishStream::take_room() {
    if (share_ && !share_->resize(record_bytes())) return false;
    if (!memory_) memory_ = services_.memory.charge(base::MemoryUse::bodies, 0);
    return memory_ && memory_.resize(room_bytes());
}

// Charges for what there is.
void PublishStream::hold_room() {
    if (share_) static_cast<void>(share_->resize(record_bytes()));
    memory_.force_resize(room_bytes());
}

// A large record, which has left the splitter, has a charge of its own, which goes where it goes.
void PublishStream::hand_over_room() {
    memory_.force_resize(room_bytes());
    request_.memory = services_.memory.force_charge(base::MemoryUse::bodies, request_.body.capacity());
}

// Before it waits for more. A client that sends little keeps little room.
void PublishStream::rest() {
    if (part_.size() <= part_a_turn_bytes) {
        body_.narrow();
        if (part_.capacity() > part_a_turn_bytes) std::string().swap(part_);
        if (lines_.capacity() > part_a_turn_bytes) std::string().swap(lines_);
    }
    part_.clear();
    hold_room();
}

// Nothing more is to be read.
void PublishStream::free_room() {
    std::string().swap(part_);
    splitter_.pass_over();
    hold_room();
}

// Whether there would be room if nothing else were under way.
bool PublishStream::could_fit() const {
    if (share_ && share_->bytes_max() != 0 && record_bytes() > share_->bytes_max()) return false;
    return services_.memory.could_fit(base::MemoryUse::bodies, room_bytes(), connection_memory_bytes);
}

// Until there is, or the record that has begun is given up. What is dropped of a record needs no room.
asio::awaitable<void> PublishStream::wait_for_room() {
    const bool is_dropped = splitter_.pending_bytes() != 0 && splitter_.kept_bytes() == 0;
    const bool can_come = !is_dropped && could_fit();
    const Clock::time_point give_up = Clock::now() + services_.options.publish.wait;
    asio::steady_timer timer(executor_);
    for (Clock::duration pause = first_look; can_come && Clock::now() + pause < give_up && !why_stop();
         pause = std::min<Clock::duration>(2 * pause, longest_look)) {
        if (has_unwritten()) co_await write_unwritten();
        timer.expires_after(pause);
        co_await timer.async_wait(no_throw);
        settle();  // what is done gives memory back
        if (take_room()) co_return;
    }
    // What has come without the rest of a record is little, and the documents in it need memory of their own.
    if (splitter_.kept_bytes() != 0) {
        passed_over_ = room_refusal();
        splitter_.pass_over();
    }
    hold_room();
}

HttpReply PublishStream::room_refusal() {
    if (share_ && !share_->resize(record_bytes())) {
        broker::count(services_.counters.requests_refused[broker::RequestRefusal::address_bytes]);
        const std::string limit = "limits.address_bytes, " + std::to_string(share_->bytes_max());
        if (record_bytes() > share_->bytes_max()) return status_reply(413, "the document is larger than " + limit);
        return share_problem("more bytes of requests are under way than " + limit, std::chrono::seconds(1));
    }
    broker::count(services_.counters.documents_refused[broker::DocumentRefusal::memory]);
    return memory_problem(could_fit() ? broker::MemoryShortage::temporary : broker::MemoryShortage::permanent);
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
        timed_record_.reset();
        return Clock::time_point::max();
    }
    if (std::exchange(timed_record_, splitter_.offset()) != splitter_.offset()) record_time_ = {};
    const Clock::time_point begun = Clock::now() - record_time_;
    const auto received = static_cast<std::size_t>(splitter_.pending_bytes());
    return std::min(begun + limits.request_timeout, slow_body_deadline(begun, received, limits.body_rate));
}

// Tells of the first documents that are done, as far as there is room for the lines.
void PublishStream::settle() {
    while (!under_way_.empty() && under_way_.front().is_done() && lines_.size() < lines_bytes_max) {
        Document& document = under_way_.front();
        tell_of(document);
        bytes_under_way_ -= document.bytes;
        reply_bytes_ -= document.reply_bytes;
        under_way_.pop_front();
    }
}

// The summary counts it even without memory for more.
void PublishStream::tell_of(Document& document) {
    try {
        if (document.submission.append != nullptr) document.reply = reply_to(services_, document.submission);
    } catch (const std::bad_alloc&) {
        document.reply = reply_without_memory(document);
    }
    try {
        summary_.add(document.place, document.reply, document.submission.result, document.submission.items_refused);
        if (plan_.streams_reply && !is_broken_) lines_ += document_line(document.place, document.reply);
    } catch (const std::bad_alloc&) {
        lacks_memory_ = true;
    }
}

// Of a document whose append has ended.
HttpReply PublishStream::reply_without_memory(Document& document) {
    lacks_memory_ = true;
    const broker::Publisher::Outcome& outcome = *document.submission.append->outcome;
    HttpReply reply;
    reply.status = outcome.has_value() ? 202 : 503;
    if (!outcome.has_value()) return reply;
    document.submission.result = *outcome;
    document.submission.claim.keep(reply.body);
    return reply;
}

asio::awaitable<void> PublishStream::wait_for_first() {
    while (!under_way_.empty() && under_way_.front().submission.is_under_way())
        co_await wake_up_->timer.async_wait(no_throw);
}

bool PublishStream::has_unwritten() {
    settle();
    return !lines_.empty();
}

asio::awaitable<bool> PublishStream::write_unwritten() {
    while (has_unwritten()) co_await write_lines();
    co_return !is_broken_;
}

// Returns false if the client has left, as it does not read.
asio::awaitable<bool> PublishStream::write_lines() {
    is_broken_ = true;  // if there is no memory to write all of them
    is_broken_ = !co_await body_.write(lines_);
    lines_.clear();
    co_return !is_broken_;
}

}  // namespace

asio::awaitable<HttpReply> publish_stream(Services& services, HttpRequest& request) {
    PublishStreamPlan plan;
    if (auto refusal = read_stream_plan(request, plan)) co_return std::move(*refusal);
    const auto executor = co_await asio::this_coro::executor;
    PublishStream stream(services, request, std::move(plan), executor);
    if (auto refusal = stream.refuse()) co_return std::move(*refusal);
    co_return co_await stream.run();
}

}  // namespace sluice::server
