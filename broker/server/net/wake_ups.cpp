#include "broker/server/net/wake_ups.hpp"

#include <utility>

namespace sluice::server {

namespace asio = boost::asio;

asio::execution_context::id WakeUps::id;

WakeUps::WakeUps(asio::execution_context& context) : service(context), io_(static_cast<asio::io_context&>(context)) {}

WakeUps& WakeUps::of(const asio::any_io_executor& executor) {
    return asio::use_service<WakeUps>(executor.target<asio::io_context::executor_type>()->context());
}

// Who finds the list empty posts. What was done before a call is seen by the wake-up, also if the sleeper is listed.
void WakeUps::wake(const std::shared_ptr<Sleeper>& sleeper) {
    if (sleeper->is_listed_.exchange(true, std::memory_order_acq_rel)) return;
    sleeper->self_ = sleeper;
    Sleeper* newest = list_->newest.load(std::memory_order_relaxed);
    do {
        sleeper->next_ = newest;
    } while (!list_->newest.compare_exchange_weak(newest, sleeper.get(), std::memory_order_acq_rel,
                                                  std::memory_order_relaxed));
    if (newest == nullptr) post();
}

void WakeUps::post() {
    post_reserved(io_.get_executor(), list_->post_memory, [this, list = list_] { run(); });
}

void WakeUps::run() {
    struct PostRest {  // after a failure
        WakeUps& wake_ups;
        ~PostRest() {
            if (wake_ups.list_->due != nullptr) wake_ups.post();
        }
    };
    const PostRest rest{*this};
    collect();
    while (const auto sleeper = take_oldest()) sleeper->wake_up();
}

// Puts the new ones behind those that are due, the oldest first.
void WakeUps::collect() noexcept {
    Sleeper** end = &list_->due;
    while (*end != nullptr) end = &(*end)->next_;
    Sleeper* newest = list_->newest.exchange(nullptr, std::memory_order_acq_rel);
    while (newest != nullptr) {
        Sleeper* const older = std::exchange(newest->next_, *end);
        *end = newest;
        newest = older;
    }
}

// From here on it may be listed again. Null: none is due.
std::shared_ptr<WakeUps::Sleeper> WakeUps::take_oldest() noexcept {
    Sleeper* const oldest = list_->due;
    if (oldest == nullptr) return nullptr;
    list_->due = oldest->next_;
    std::shared_ptr<Sleeper> taken = std::move(oldest->self_);
    oldest->is_listed_.exchange(false, std::memory_order_acq_rel);
    return taken;
}

void WakeUps::drop() noexcept {
    collect();
    while (take_oldest()) continue;
}

}  // namespace sluice::server
