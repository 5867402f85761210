// Runs a function on a worker thread while the calling coroutine waits and its own thread serves others.
#pragma once

#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "broker/base/workers.hpp"
#include "broker/server/net/peer_watch.hpp"

namespace sluice::server {

namespace detail {

// The outcome of the function, passed from the worker's thread to the coroutine's.
template <typename Result>
struct Outcome {
    std::optional<Result> result;
    std::exception_ptr failure;
};

}  // namespace detail

// Returns no value if the workers' queue is full, a worker was not free by the deadline, or the client left before one
// was; the function was then not run. Owners of tasks share the workers fairly. Rethrows the function's exceptions. If
// the daemon ends first, the function is destroyed without having run. `departure`, if any, is that of the client; the
// coroutine must run on its connection's thread. `estimate`: how long the function may take; small ones come first.
template <typename Function, typename Result = std::invoke_result_t<Function&>>
boost::asio::awaitable<std::optional<Result>> run_on_worker(base::Workers& workers, base::Workers::Owner owner,
                                                            std::chrono::steady_clock::time_point deadline,
                                                            Function function,
                                                            std::shared_ptr<Departure> departure = nullptr,
                                                            base::Workers::Time estimate = {}) {
    namespace asio = boost::asio;
    const auto work = std::make_shared<Function>(std::move(function));
    const auto outcome = std::make_shared<detail::Outcome<Result>>();
    // Named, not written inside co_await: decisions/coroutines.md.
    auto initiate = [&workers, owner, deadline, work, outcome, departure, estimate](auto handler) {
        // Shared, since std::function must be copyable.
        const auto resume = std::make_shared<decltype(handler)>(std::move(handler));
        const auto done = [resume] {
            asio::post(asio::get_associated_executor(*resume), [resume] { std::move (*resume)(); });
        };
        const auto task = [deadline, work, outcome, done] {
            try {
                if (std::chrono::steady_clock::now() <= deadline) outcome->result.emplace((*work)());
            } catch (...) {
                outcome->failure = std::current_exception();
            }
            done();
        };
        // Before the task is posted, since this may fail. The function is weak, since the coroutine owns the departure.
        std::shared_ptr<base::Workers::Ticket> ticket;
        if (departure != nullptr) {
            ticket = std::make_shared<base::Workers::Ticket>(0);
            departure->on_notice = [&workers, owner, ticket, waiting = std::weak_ptr(resume)] {
                const auto held = waiting.lock();
                if (held == nullptr || !workers.cancel(owner, *ticket)) return;
                asio::post(asio::get_associated_executor(*held), [held] { std::move (*held)(); });
            };
        }
        const base::Workers::Ticket posted = workers.post(owner, task, estimate);
        if (posted == 0) return done();
        if (departure == nullptr) return;
        *ticket = posted;
        if (departure->noticed) departure->on_notice();
    };
    co_await asio::async_initiate<const asio::use_awaitable_t<>, void()>(std::move(initiate), asio::use_awaitable);
    if (departure != nullptr) departure->on_notice = nullptr;
    if (outcome->failure) std::rethrow_exception(outcome->failure);
    co_return std::move(outcome->result);
}

}  // namespace sluice::server
