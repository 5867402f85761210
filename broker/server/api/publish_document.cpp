#include "broker/server/api/publish_document.hpp"

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <new>
#include <variant>
#include <vector>

#include "broker/base/log.hpp"
#include "broker/base/memory/memory_budget.hpp"
#include "broker/base/workers.hpp"
#include "broker/core/counters.hpp"
#include "broker/core/ingest/publisher.hpp"
#include "broker/core/matching/event_queue.hpp"
#include "broker/server/api/idempotent_publish.hpp"
#include "broker/server/api/limits.hpp"
#include "broker/server/api/on_worker.hpp"
#include "broker/server/api/problems.hpp"
#include "broker/server/api/publish_reply.hpp"
#include "broker/server/api/publish_task.hpp"
#include "broker/server/http/busy_problems.hpp"
#include "broker/server/http/parameters.hpp"
#include "broker/server/http/permission.hpp"
#include "broker/server/http/reply_writer.hpp"
#include "broker/server/net/address_table.hpp"
#include "broker/server/net/turn_end.hpp"
#include "broker/server/net/wake_up.hpp"
#include "broker/store/event_log.hpp"
#include "config/options.hpp"
#include "protocol/text/stream_name.hpp"
#include "protocol/text/trace_context.hpp"

namespace sluice::server {

namespace asio = boost::asio;
using Clock = std::chrono::steady_clock;

namespace {

// How long a publication may wait.
struct Patience {
    Clock::time_point deadline;
    bool is_cut_off = false;  // the replies to earlier requests could not be written
};

HttpReply cut_off_problem() {
    return busy_problem("the connection was closed while the document waited, so it was not published");
}

// Writes the replies to earlier requests, before the publication waits for anything: its own wait begins then. Returns
// false if they could not be written.
asio::awaitable<bool> write_replies_before(const Services& services, const HttpRequest& request, Patience& patience) {
    const bool written = co_await write_earlier_replies(request);
    patience = {Clock::now() + services.options.publish.wait, !written};
    co_return written;
}

// All clients that are exempt from limits share an owner.
asio::awaitable<Prepared> prepare_somewhere(Services& services, const HttpRequest& request, PublishTask& task,
                                            Patience& patience) {
    if (task.is_small()) co_return prepare_publication(task, services.memory, services.counters.stages);
    if (has_earlier_replies(request) && !co_await write_replies_before(services, request, patience))
        co_return cut_off_problem();
    const auto deadline = worker_deadline(services.options.publish);
    // By itself, since only then it shows how long parsing may take.
    if (task.is_gzip) {
        auto unpack = [&task, &services] { return decompress(task, services.memory); };
        auto unpacked = co_await run_on_worker(services.workers, request.address_use, deadline, std::move(unpack),
                                               nullptr, unpack_estimate(task.body.size()));
        if (!unpacked) co_return busy_problem("too many large documents are being parsed");
        if (*unpacked) co_return std::move(**unpacked);
    }
    auto work = [&task, &services] { return prepare_publication(task, services.memory, services.counters.stages); };
    auto prepared = co_await run_on_worker(services.workers, request.address_use, deadline, std::move(work), nullptr,
                                           document_estimate(task.body.size()));
    if (!prepared) prepared = busy_problem("too many large documents are being parsed");
    co_return std::move(*prepared);
}

// Permits one publisher at a time to wait for memory for its document while it holds its body's. Several would wait for
// each other.
class MemoryWaiter {
public:
    explicit MemoryWaiter(std::atomic<bool>& taken) : taken_(taken) {}
    ~MemoryWaiter() {
        if (waits_) taken_ = false;
    }
    MemoryWaiter(const MemoryWaiter&) = delete;
    MemoryWaiter& operator=(const MemoryWaiter&) = delete;

    bool may_wait() { return waits_ = waits_ || !taken_.exchange(true); }

private:
    std::atomic<bool>& taken_;
    bool waits_ = false;
};

// Prepares a task for which there was no memory as soon as there is, until the deadline.
asio::awaitable<Prepared> prepare_in_time(Services& services, const HttpRequest& request, PublishTask& task,
                                          broker::MissingMemory missing, Patience& patience) {
    if (has_earlier_replies(request) && !co_await write_replies_before(services, request, patience))
        co_return cut_off_problem();
    MemoryWaiter waiter(services.waits_for_memory);
    const auto executor = co_await asio::this_coro::executor;
    const auto wake_up = std::make_shared<WakeUp>(executor, patience.deadline);
    for (;;) {
        const bool has_time = Clock::now() < patience.deadline && !services.draining;
        if (missing.shortage == broker::MemoryShortage::permanent || !has_time || !waiter.may_wait())
            co_return memory_problem(missing.shortage);
        {
            const base::RoomWatch watch(services.memory, missing.use, missing.bytes, waker(wake_up));
            co_await wake_up->timer.async_wait(asio::as_tuple(asio::use_awaitable));
        }
        Prepared prepared = co_await prepare_somewhere(services, request, task, patience);
        const auto* again = std::get_if<broker::MissingMemory>(&prepared);
        if (again == nullptr) co_return prepared;
        missing = *again;
    }
}

// Returns false if there was no room in time, or the publication is cut off.
asio::awaitable<bool> wait_for_room(Services& services, const HttpRequest& request, const std::string& stream,
                                    broker::EventQueue::Waiting& waiting, Patience& patience) {
    if (has_earlier_replies(request) && !co_await write_replies_before(services, request, patience)) co_return false;
    const auto executor = co_await asio::this_coro::executor;
    const auto wake_up = std::make_shared<WakeUp>(executor, patience.deadline);
    if (!services.queue.wait_for_room(stream, waiting, waker(wake_up))) co_return true;
    const auto [cancelled] = co_await wake_up->timer.async_wait(asio::as_tuple(asio::use_awaitable));
    co_return cancelled == asio::error::operation_aborted;
}

// A publisher waits for the log's thread.
struct AwaitedAppend final : WakeUp {
    using WakeUp::WakeUp;

    std::optional<broker::Publisher::Outcome> outcome;  // set before it is woken
};

// Where appends do not end at once, the request's route is not prompt (endpoints.cpp): earlier replies are written.
asio::awaitable<broker::Publisher::Outcome> append(broker::Publisher& publisher, const PublicationPtr& publication,
                                                   const broker::StoredItems* found) {
    const auto executor = co_await asio::this_coro::executor;
    const auto awaited = std::make_shared<AwaitedAppend>(executor);
    broker::Publisher::Done done = [awaited](const broker::Publisher::Outcome& outcome) {
        awaited->outcome = outcome;
        wake(awaited);
    };
    const auto known = publisher.publish(publication, std::move(done), found);
    if (known) co_return *known;
    co_await awaited->timer.async_wait(asio::as_tuple(asio::use_awaitable));
    co_return *awaited->outcome;
}

// The same without waiting: sets what the submission has of an append that is under way. Returns the outcome if it is
// known at once.
std::optional<broker::Publisher::Outcome> begin_append(broker::Publisher& publisher, const PublicationPtr& publication,
                                                       const broker::StoredItems* found, Submission& submission) {
    const auto append = std::make_shared<PendingAppend>();
    append->publication = publication;
    broker::Publisher::Done done = [append, wake_up = submission.wake_up](const broker::Publisher::Outcome& outcome) {
        append->outcome = outcome;
        append->is_known.store(true, std::memory_order_release);
        wake(wake_up);
    };
    const auto known = publisher.publish(publication, std::move(done), found);
    if (!known) submission.append = append;
    return known;
}

// When a publication that ends at once wakes the matcher: once for all that this thread publishes in this turn.
broker::EventQueue::Wake wake_at_turn_end(const Services& services, const HttpRequest& request) {
    if (request.turn_end == nullptr || !services.hand_over) return broker::EventQueue::Wake::now;
    request.turn_end->call(services.hand_over);
    return broker::EventQueue::Wake::later;
}

void log_publication(const broker::Publication& publication, const broker::PublishResult& result) {
    std::vector<base::LogField> fields{{"stream", publication.stream},
                                       {"received", result.received},
                                       {"new", result.added},
                                       {"updated", result.updated},
                                       {"unchanged", result.unchanged}};
    if (result.first_id != 0) {
        fields.emplace_back("first_id", result.first_id);
        fields.emplace_back("last_id", result.last_id);
    }
    const std::string& parent = publication.document->trace().parent;
    if (!parent.empty()) fields.emplace_back("trace_id", text::trace_id(parent));
    base::log_debug("published", fields);
}

// The document is published, whatever happens now: without memory for its details the reply is only a status.
HttpReply accepted(Services& services, const broker::Publication& publication, const broker::PublishResult& result,
                   Submission* submission) {
    const std::size_t items_refused = publication.document->refusals().count;
    broker::count(services.counters.items_refused, items_refused);
    if (!publication.document->repairs().empty()) broker::count(services.counters.documents_repaired);
    base::log_at(config::LogLevel::debug, [&] { log_publication(publication, result); });
    HttpReply reply;
    reply.status = 202;
    if (submission != nullptr) {
        submission->result = result;
        submission->items_refused = items_refused;
        if (!submission->wants_reply) return reply;
    }
    try {
        return accepted_reply(publication, result, services.log.durability());
    } catch (const std::bad_alloc&) {
        return reply;
    }
}

using Refusal = broker::DocumentRefusal;

Refusal refusal_of(unsigned status) {
    if (status == 413) return Refusal::too_large;
    if (status == 415) return Refusal::content_type;
    return status == 503 ? Refusal::busy : Refusal::invalid;
}

// Of a document that could not be prepared.
Refusal refusal_of(const HttpReply& refusal, bool lacked_memory, const Patience& patience) {
    if (patience.is_cut_off) return Refusal::abandoned;
    return lacked_memory && refusal.status == 503 ? Refusal::memory : refusal_of(refusal.status);
}

Refusal refusal_of(broker::PublishRefusal refusal) {
    switch (refusal) {
        case broker::PublishRefusal::closed:
            return Refusal::stopping;
        case broker::PublishRefusal::no_memory:
            return Refusal::memory;
        case broker::PublishRefusal::no_space:
            return Refusal::store_full;
        case broker::PublishRefusal::unavailable:
            return Refusal::store_failed;
        case broker::PublishRefusal::too_many_new_streams:
        case broker::PublishRefusal::too_many_streams:
        case broker::PublishRefusal::too_many_defined_streams:
            return Refusal::streams;
        case broker::PublishRefusal::not_looked_up:
        case broker::PublishRefusal::no_room:
            break;
    }
    return Refusal::queue_full;
}

HttpReply refused(Services& services, broker::PublishRefusal refusal) {
    broker::count(services.counters.documents_refused[refusal_of(refusal)]);
    return publish_problem(services.options, refusal);
}

// For a client that left while its document waited. One that only closed its sending side gets the reply.
HttpReply abandoned(broker::Counters& counters) {
    broker::count(counters.documents_refused[Refusal::abandoned]);
    return cut_off_problem();
}

// A publisher's wait for room in the queue.
struct Waited {
    broker::EventQueue& queue;
    broker::EventQueue::Waiting waiting;
    ~Waited() { queue.end_waiting(waiting); }
};

// Looks up the publication's items on disk. Returns false with a `refusal`. What it needs is not in the frame of
// its caller: a frame that is too large is not recycled.
asio::awaitable<bool> look_up(Services& services, const HttpRequest& request, const broker::Publication& publication,
                              std::unique_ptr<const broker::StoredItems>& found, Prepared& refusal) {
    if (has_earlier_replies(request) && !co_await write_earlier_replies(request)) {
        refusal = abandoned(services.counters);
        co_return false;
    }
    auto work = [&] { return services.publisher.look_up(publication); };
    auto looked_up =
        co_await run_on_worker(services.workers, request.address_use, worker_deadline(services.options.publish),
                               std::move(work), nullptr, look_up_estimate(publication.keys.size()));
    if (!looked_up) {
        broker::count(services.counters.documents_refused[Refusal::busy]);
        refusal = busy_problem("too many requests are waiting for the disk; nothing was published");
    } else if (!*looked_up) {
        refusal = refused(services, looked_up->error());
    } else if (request.has_left()) {
        refusal = abandoned(services.counters);
    } else {
        found = std::make_unique<const broker::StoredItems>(std::move(**looked_up));
        co_return true;
    }
    co_return false;
}

// Sets `reply` if the first request with this key has one on disk, as after a restart, or to refuse this one. Returns
// whether it did.
asio::awaitable<bool> find_first_reply(Services& services, const HttpRequest& request, const PublishTask& task,
                                       HttpReply& reply) {
    if (has_earlier_replies(request) && !co_await write_earlier_replies(request)) {
        reply = abandoned(services.counters);
        co_return true;
    }
    auto work = [&] { return find_stored_reply(services, task.stream, *task.attempt, *task.kept_request); };
    auto found =
        co_await run_on_worker(services.workers, request.address_use, worker_deadline(services.options.publish),
                               std::move(work), nullptr, look_up_estimate(1));
    if (!found) found = busy_problem("too many requests are waiting for the disk; nothing was published");
    if (!*found) co_return false;
    reply = std::move(**found);
    co_return true;
}

}  // namespace

std::optional<HttpReply> refuse_publisher(const HttpRequest& request) {
    const std::string_view stream = parameter(request.query, "stream", "default");
    if (request.principal->account->rights.may_publish(stream) || !text::is_stream_name(stream)) return std::nullopt;
    return forbidden(*request.principal, "publish to stream \"" + std::string(stream) + "\"");
}

// One coroutine, since each costs as much as two allocations. Frames of more than 1,020 bytes are not recycled by Asio;
// what this one needs in rare cases is in those of others.
asio::awaitable<HttpReply> publish_task(Services& services, HttpRequest& request, PublishTask& task,
                                        Submission* submission) {
    Patience patience{Clock::now() + services.options.publish.wait};
    Prepared prepared;
    // A stream that is evicted gives back its memory, so nothing that waits may know it.
    if (task.is_small()) {
        prepared = prepare_publication(task, services.memory, services.counters.stages);
    } else {
        task.known_stream.reset();
        prepared = co_await prepare_somewhere(services, request, task, patience);
    }
    bool lacked_memory = false;
    if (const auto* missing = std::get_if<broker::MissingMemory>(&prepared)) {
        lacked_memory = true;
        task.known_stream.reset();
        prepared = co_await prepare_in_time(services, request, task, *missing, patience);
    }
    if (auto* refusal = std::get_if<HttpReply>(&prepared)) {
        broker::count(services.counters.documents_refused[refusal_of(*refusal, lacked_memory, patience)]);
        co_return std::move(*refusal);
    }
    const PublicationPtr publication = std::move(*std::get_if<PublicationPtr>(&prepared));
    publication->may_begin_stream = [use = request.address_use] {
        return use == nullptr || !use->take_stream(AddressUse::Clock::now());
    };
    Waited waited{services.queue, {publication->document->items().size()}};
    std::unique_ptr<const broker::StoredItems> found;
    for (;;) {
        std::optional<broker::Publisher::Outcome> result;
        if (services.publisher.completes_at_once())
            result = services.publisher.publish(publication, nullptr, found.get(), wake_at_turn_end(services, request));
        else if (submission != nullptr)
            result = begin_append(services.publisher, publication, found.get(), *submission);
        else
            result = co_await append(services.publisher, publication, found.get());
        if (!result) co_return std::move(prepared.emplace<HttpReply>());
        if (result->has_value()) co_return accepted(services, *publication, **result, submission);
        publication->known_stream.reset();
        if (result->error() == broker::PublishRefusal::not_looked_up) {
            if (!co_await look_up(services, request, *publication, found, prepared))
                co_return std::get<HttpReply>(std::move(prepared));
            continue;
        }
        if (result->error() != broker::PublishRefusal::no_room) co_return refused(services, result->error());
        if (!co_await wait_for_room(services, request, publication->stream, waited.waiting, patience)) {
            if (patience.is_cut_off) co_return abandoned(services.counters);
            co_return refused(services, result->error());
        }
        if (request.has_left()) co_return abandoned(services.counters);
    }
}

// The digest of a large body takes as long as parsing a small one.
asio::awaitable<std::optional<text::Digest>> digest_somewhere(Services& services, const HttpRequest& request) {
    if (request.body.size() <= small_body_bytes) co_return request_digest(request);
    if (has_earlier_replies(request) && !co_await write_earlier_replies(request)) {
        broker::count(services.counters.documents_refused[Refusal::abandoned]);
        co_return std::nullopt;
    }
    auto work = [&request] { return request_digest(request); };
    co_return co_await run_on_worker(services.workers, request.address_use, worker_deadline(services.options.publish),
                                     std::move(work), nullptr, digest_estimate(request.body.size()));
}

asio::awaitable<HttpReply> publish_task_once(Services& services, HttpRequest& request, PublishTask& task,
                                             const std::string& key, const text::Digest& digest,
                                             Submission* submission) {
    auto claim = claim_key(services, request, task.stream, key, digest);
    if (auto* reply = std::get_if<HttpReply>(&claim)) co_return std::move(*reply);
    task.attempt = attempt_id(request, task.stream, key);
    HttpReply reply;
    bool is_repeated = false;
    if (services.log.durable_state() != nullptr) {
        task.kept_request = &digest;
        is_repeated = co_await find_first_reply(services, request, task, reply);
    }
    if (!is_repeated) reply = co_await publish_task(services, request, task, submission);
    auto& claimed = std::get<broker::IdempotencyKeys::Claim>(claim);
    if (submission != nullptr && submission->append != nullptr)
        submission->claim = std::move(claimed);
    else if (reply.status == 202)
        claimed.keep(reply.body);
    co_return reply;
}

HttpReply reply_to(Services& services, Submission& submission) {
    const PendingAppend& append = *submission.append;
    const broker::Publisher::Outcome& outcome = *append.outcome;
    HttpReply reply = outcome.has_value() ? accepted(services, *append.publication, *outcome, &submission)
                                          : refused(services, outcome.error());
    if (reply.status == 202) submission.claim.keep(reply.body);
    return reply;
}

}  // namespace sluice::server
