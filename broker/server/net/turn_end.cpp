#include "broker/server/net/turn_end.hpp"

#include <utility>

namespace sluice::server {

namespace asio = boost::asio;

asio::execution_context::id TurnEnd::id;

TurnEnd::TurnEnd(asio::execution_context& context) : service(context), io_(static_cast<asio::io_context&>(context)) {}

TurnEnd& TurnEnd::of(const asio::any_io_executor& executor) {
    return asio::use_service<TurnEnd>(executor.target<asio::io_context::executor_type>()->context());
}

// Posted behind everything that is ready now. New events from the kernel are looked for before, and served after it.
void TurnEnd::call(const std::function<void()>& function) {
    if (state_->function == &function) return;
    if (const auto* const other = std::exchange(state_->function, &function)) (*other)();
    post_reserved(io_.get_executor(), state_->post_memory, [state = state_] {
        if (const auto* const asked = std::exchange(state->function, nullptr)) (*asked)();
    });
}

}  // namespace sluice::server
