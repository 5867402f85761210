// POST /v1/store/backup
#include <boost/asio/awaitable.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <optional>
#include <string>
#include <utility>

#include "broker/base/log.hpp"
#include "broker/base/workers.hpp"
#include "broker/server/api/handlers.hpp"
#include "broker/server/api/limits.hpp"
#include "broker/server/api/on_worker.hpp"
#include "broker/server/api/problems.hpp"
#include "broker/server/http/busy_problems.hpp"
#include "broker/server/http/parameters.hpp"
#include "broker/store/event_log.hpp"

namespace sluice::server {

namespace {

namespace json = boost::json;

// What "path" says; none: the body is something else.
std::optional<std::string> read_path(std::string_view body) {
    boost::system::error_code error;
    const json::value value = json::parse(body, error);
    if (error || !value.is_object() || value.get_object().size() != 1) return std::nullopt;
    const json::value* const path = value.get_object().if_contains("path");
    if (path == nullptr || !path->is_string()) return std::nullopt;
    return std::string(path->get_string());
}

HttpReply refused(const store::BackupRefusal& refusal) {
    using Reason = store::BackupRefusal::Reason;
    switch (refusal.reason) {
        case Reason::path:
            return status_reply(400, refusal.what);
        case Reason::exists:
            return status_reply(409, refusal.what);
        case Reason::busy:
            return busy_problem(refusal.what);
        case Reason::no_space:
            return full_problem("the disk of the backups is full, and nothing is left of the backup: " + refusal.what);
        case Reason::failed:
            break;
    }
    return status_reply(500, "the backup failed, and nothing is left of it: " + refusal.what);
}

}  // namespace

boost::asio::awaitable<HttpReply> back_up_store(Services& services, HttpRequest& request) {
    if (auto refusal = refuse_unknown_parameters(request.query, {})) co_return std::move(*refusal);
    const auto path = read_path(request.body);
    if (!path) co_return status_reply(400, R"(the body must be a JSON object such as {"path": "monday"})");
    store::DurableState* const durable = services.log.durable_state();
    if (durable == nullptr)
        co_return status_reply(409, "the store is in memory (store.kind), so there is nothing to back up");
    auto work = [durable, name = *path] { return durable->backup(name); };
    const auto made =
        co_await run_on_worker(services.workers, request.address_use, worker_deadline(services.options.publish),
                               std::move(work), nullptr, rewrite_estimate);
    if (!made) co_return busy_problem("too many requests are waiting for a worker");
    if (!*made) {
        base::log_warn("the store was not backed up", {{"path", *path}, {"reason", made->error().what}});
        co_return refused(made->error());
    }
    const store::Backup& backup = **made;
    base::log_info("the store has been backed up",
                   {{"path", backup.path}, {"bytes", backup.bytes}, {"last_id", backup.last_id}});
    HttpReply reply;
    reply.status = 201;
    reply.body = json::serialize(json::object{
        {"path", backup.path}, {"bytes", backup.bytes}, {"last_id", backup.last_id}, {"epoch", backup.epoch}});
    co_return reply;
}

}  // namespace sluice::server
