#include "broker/server/api/add_subscriptions.hpp"

#include <atomic>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <spdlog/fmt/fmt.h>
#include <string>
#include <utility>

#include "broker/core/matching/registry.hpp"
#include "broker/server/api/problems.hpp"
#include "broker/server/http/busy_problems.hpp"
#include "broker/server/http/takeover.hpp"
#include "broker/server/net/wake_up.hpp"
#include "config/options.hpp"

namespace sluice::server {

namespace asio = boost::asio;

namespace {

// A subscriber waits for the registry's thread.
struct AwaitedAddition final : WakeUp {
    using WakeUp::WakeUp;

    std::atomic<bool> is_done{false};
};

HttpReply refuse(broker::Admission admission, const config::LimitOptions& limits) {
    if (admission == broker::Admission::too_many_operators)
        return busy_problem("with these filters, there would be more computed conditions than limits.operators, " +
                            std::to_string(limits.operators));
    return busy_problem("with these filters, there would be more subscriptions than limits.subscriptions, " +
                        std::to_string(limits.subscriptions));
}

}  // namespace

asio::awaitable<std::optional<HttpReply>> add_subscriptions(Services& services,
                                                            std::shared_ptr<broker::Subscriber> subscriber,
                                                            std::vector<broker::Subscription> subscriptions) {
    const auto awaited = std::make_shared<AwaitedAddition>(co_await asio::this_coro::executor);
    const auto tell = [awaited] {
        awaited->is_done = true;
        wake(awaited);
    };
    const broker::Admission admission = services.registry.add(subscriber, std::move(subscriptions), tell);
    if (admission != broker::Admission::admitted) co_return refuse(admission, services.options.limits);
    while (!awaited->is_done) co_await awaited->timer.async_wait(asio::as_tuple(asio::use_awaitable));
    if (subscriber->not_added) co_return memory_problem(broker::MemoryShortage::temporary);
    co_return std::nullopt;
}

HttpReply stream_reply(std::shared_ptr<Takeover> stream, std::chrono::duration<double> heartbeat) {
    HttpReply reply;
    reply.content_type = "text/event-stream";
    reply.headers = {{"Cache-Control", "no-store"},
                     {"X-Accel-Buffering", "no"},
                     {"Sluice-Heartbeat", fmt::format("{:g}", heartbeat.count())}};
    reply.takeover = std::move(stream);
    return reply;
}

}  // namespace sluice::server
