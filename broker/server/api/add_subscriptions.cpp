#include "broker/server/api/add_subscriptions.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <spdlog/fmt/fmt.h>
#include <string>
#include <utility>

#include "broker/core/matching/registry.hpp"
#include "broker/server/api/problems.hpp"
#include "broker/server/http/busy_problems.hpp"
#include "broker/server/http/takeover.hpp"
#include "broker/server/net/reserved_post.hpp"
#include "config/options.hpp"

namespace sluice::server {

namespace asio = boost::asio;

namespace {

// Lets the registry's thread wake the coroutine.
struct Admitted {
    explicit Admitted(const asio::any_io_executor& executor) : timer(executor, asio::steady_timer::time_point::max()) {}

    asio::steady_timer timer;
    bool done = false;  // used by the connection's thread only
    PostMemory post_memory;
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
    const auto admitted = std::make_shared<Admitted>(co_await asio::this_coro::executor);
    const auto tell = [admitted] {
        post_reserved(admitted->timer.get_executor(), admitted->post_memory, [admitted] {
            admitted->done = true;
            admitted->timer.cancel();
        });
    };
    const broker::Admission admission = services.registry.add(subscriber, std::move(subscriptions), tell);
    if (admission != broker::Admission::admitted) co_return refuse(admission, services.options.limits);
    while (!admitted->done) co_await admitted->timer.async_wait(asio::as_tuple(asio::use_awaitable));
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
