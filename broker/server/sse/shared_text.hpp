// What an I/O thread has written last of events that many subscribers get: the next ones mostly get the same, framed
// and put together already. Belongs to the thread of its io_context.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/execution_context.hpp>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "broker/core/delivery/delivery.hpp"
#include "broker/core/delivery/framer.hpp"

namespace sluice::server {

class SharedText final : public boost::asio::execution_context::service {
public:
    using key_type = SharedText;
    static boost::asio::execution_context::id id;

    explicit SharedText(boost::asio::execution_context& context) : service(context) {}

    // The executor must be an io_context's.
    static SharedText& of(const boost::asio::any_io_executor& executor);

    // The text kept for these deliveries by this framer, or null. Valid until the next keep().
    const std::string* find(const broker::Framer& framer, std::span<const broker::Delivery> deliveries,
                            bool chunked) const;
    // Keeps their text, unless it is long or some of it is the subscriber's own.
    void keep(const broker::Framer& framer, std::span<const broker::Delivery> deliveries, bool chunked,
              const broker::Pieces& text) noexcept;

private:
    void shutdown() noexcept override {}

    const broker::Framer* framer_ = nullptr;  // null: nothing is kept
    bool chunked_ = false;
    std::vector<std::weak_ptr<const broker::SharedEvent>> events_;  // weak, since their memory is charged
    std::string text_;
};

}  // namespace sluice::server
