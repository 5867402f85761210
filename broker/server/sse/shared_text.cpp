#include "broker/server/sse/shared_text.hpp"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <new>
#include <string_view>

#include "broker/server/net/turns.hpp"

namespace sluice::server {

namespace asio = boost::asio;

asio::execution_context::id SharedText::id;

SharedText& SharedText::of(const asio::any_io_executor& executor) {
    return asio::use_service<SharedText>(executor.target<asio::io_context::executor_type>()->context());
}

const std::string* SharedText::find(const broker::Framer& framer, std::span<const broker::Delivery> deliveries,
                                    bool chunked) const {
    const auto is_of = [](const broker::Delivery& delivery, const std::weak_ptr<const broker::SharedEvent>& event) {
        return delivery.is_shared() && !event.owner_before(delivery.event) && !delivery.event.owner_before(event);
    };
    if (framer_ != &framer || chunked_ != chunked) return nullptr;
    return std::equal(deliveries.begin(), deliveries.end(), events_.begin(), events_.end(), is_of) ? &text_ : nullptr;
}

void SharedText::keep(const broker::Framer& framer, std::span<const broker::Delivery> deliveries, bool chunked,
                      const broker::Pieces& text) noexcept {
    const auto is_shared = [](const broker::Delivery& delivery) { return delivery.is_shared(); };
    if (text.bytes() > piece_bytes || !std::all_of(deliveries.begin(), deliveries.end(), is_shared)) return;
    framer_ = nullptr;
    events_.clear();
    text_.clear();
    try {
        for (const broker::Delivery& delivery : deliveries) events_.emplace_back(delivery.event);
        text.each([this](std::string_view piece) { text_ += piece; });
    } catch (const std::bad_alloc&) {
        return;
    }
    framer_ = &framer;
    chunked_ = chunked;
}

}  // namespace sluice::server
