#include "broker/server/net/turns.hpp"

#include <algorithm>
#include <utility>

namespace sluice::server {

namespace asio = boost::asio;

asio::execution_context::id Turns::id;

Turns::Turns(asio::execution_context& context) : service(context), io_(static_cast<asio::io_context&>(context)) {}

void Turns::wait(Resume resume, std::size_t bytes) {
    queue_->waiting.push_back({std::move(resume), std::max(bytes, turn_bytes_min)});
    if (queue_->waiting.size() == 1) post_next();
}

// Posts the next turns behind everything that is ready now, including new events from the kernel.
void Turns::post_next() {
    post_reserved(io_.get_executor(), queue_->post_memory, [this, queue = queue_] { serve(*queue); });
}

// Several short turns at once, since looking for new events from the kernel costs about as much as a short write. Those
// who wait again meanwhile are not among them.
void Turns::serve(Queue& queue) {
    struct PostRest {  // whatever fails
        Turns& turns;
        ~PostRest() {
            if (!turns.queue_->waiting.empty()) turns.post_next();
        }
    };
    const PostRest rest{*this};
    std::size_t left = piece_bytes;
    for (std::size_t n = queue.waiting.size(); n != 0; --n) {
        const std::size_t bytes = queue.waiting.front().bytes;
        if (left != piece_bytes && bytes > left) return;
        left -= std::min(left, bytes);
        Resume resume = std::move(queue.waiting.front().resume);
        queue.waiting.pop_front();
        std::move(resume)();
    }
}

asio::awaitable<void> take_turn(asio::any_io_executor executor, std::size_t bytes) {
    auto& io = executor.target<asio::io_context::executor_type>()->context();
    auto initiate = [&turns = asio::use_service<Turns>(io), bytes](Turns::Resume resume) {
        turns.wait(std::move(resume), bytes);
    };
    co_await asio::async_initiate<const asio::use_awaitable_t<>, void()>(std::move(initiate), asio::use_awaitable);
}

}  // namespace sluice::server
