#include "broker/server/net/turns.hpp"

#include <boost/asio/async_result.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

namespace sluice::server {

namespace asio = boost::asio;

asio::execution_context::id Turns::id;

Turns::Turns(asio::execution_context& context) : service(context), io_(static_cast<asio::io_context&>(context)) {}

void Turns::wait(std::function<void()> function) {
    queue_->waiting.push_back(std::move(function));
    if (queue_->waiting.size() == 1) post_next();
}

// Posts the next function behind everything that is ready now, including new events from the kernel.
void Turns::post_next() {
    post_reserved(io_.get_executor(), queue_->post_memory, [this, queue = queue_] {
        if (queue->waiting.empty()) return;
        const std::function<void()> next = std::move(queue->waiting.front());
        queue->waiting.pop_front();
        if (!queue->waiting.empty()) post_next();
        next();
    });
}

asio::awaitable<void> take_turn(asio::any_io_executor executor) {
    auto& io = executor.target<asio::io_context::executor_type>()->context();
    auto initiate = [&turns = asio::use_service<Turns>(io)](auto handler) {
        // Shared, since std::function must be copyable.
        const auto resume = std::make_shared<decltype(handler)>(std::move(handler));
        turns.wait([resume] { std::move (*resume)(); });
    };
    co_await asio::async_initiate<const asio::use_awaitable_t<>, void()>(std::move(initiate), asio::use_awaitable);
}

}  // namespace sluice::server
