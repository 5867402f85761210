// Runs a function on a worker thread while the calling coroutine waits and its own thread serves others.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/error_code.hpp>
#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <utility>

#include "broker/base/workers.hpp"
#include "broker/server/net/peer_watch.hpp"
#include "broker/server/net/wake_up.hpp"

namespace sluice::server {

namespace detail {

// A function on its way to a worker's thread and back.
template <typename Function, typename Result>
struct WorkerRun final : WakeUp {
    WorkerRun(const boost::asio::any_io_executor& executor, Function work)
        : WakeUp(executor), function(std::move(work)) {}

    void operator()(Time deadline) noexcept {
        try {
            if (std::chrono::steady_clock::now() <= deadline) result.emplace(function());
        } catch (...) {
            failure = std::current_exception();
        }
    }

    Function function;
    std::optional<Result> result;
    std::exception_ptr failure;
    base::Workers::Ticket ticket = 0;  // 0: not posted
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
    const auto executor = co_await asio::this_coro::executor;
    const auto run = std::make_shared<detail::WorkerRun<Function, Result>>(executor, std::move(function));
    // Before the task is posted, since this may fail.
    if (departure != nullptr) {
        departure->on_notice = [&workers, owner, weak = std::weak_ptr(run)] {
            const auto left = weak.lock();
            if (left == nullptr || left->ticket == 0 || !workers.cancel(owner, left->ticket)) return;
            left->timer.cancel();
        };
    }
    const auto task = [run, deadline] {
        (*run)(deadline);
        wake(run);
    };
    // Waits first, since this may fail, and who does not wait may be gone before the function, which uses what it has.
    // Named, not written inside co_await: decisions/coroutines.md.
    auto initiate = [&workers, owner, estimate, departure, run, task](auto handler) {
        run->timer.async_wait(std::move(handler));
        try {
            run->ticket = workers.post(owner, task, estimate);
        } catch (...) {
            run->failure = std::current_exception();
        }
        if (run->ticket == 0)
            run->timer.cancel();
        else if (departure != nullptr && departure->noticed)
            departure->on_notice();
    };
    using Token = asio::as_tuple_t<asio::use_awaitable_t<>>;
    co_await asio::async_initiate<const Token, void(boost::system::error_code)>(std::move(initiate), Token());
    if (departure != nullptr) departure->on_notice = nullptr;
    if (run->failure) std::rethrow_exception(run->failure);
    co_return std::move(run->result);
}

}  // namespace sluice::server
