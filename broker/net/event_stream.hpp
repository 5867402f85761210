// The writing side of GET /v1/events: takes what its subscriber's mailbox holds and writes it, all of it at once, as
// one chunk; a comment when there was nothing for a while. Lives on its connection's thread; its destructor ends the
// subscription.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "broker/delivery/subscriber.hpp"
#include "broker/net/services.hpp"

namespace sluice {

class EventStream {
public:
    // What the mailbox rings from other threads. Everything in it belongs to the stream's thread.
    struct Alarm {
        explicit Alarm(const boost::asio::any_io_executor& executor) : timer(executor) {}

        boost::asio::steady_timer timer;
        std::function<void()> on_ring;
    };

    // The subscriber's mailbox has to ring the alarm, and its subscriptions have to be in place. `notes`: comments to
    // write before the first event, each line complete.
    EventStream(Services& services, std::shared_ptr<Alarm> alarm, std::shared_ptr<Subscriber> subscriber,
                std::string notes);
    ~EventStream();

    // The `wake` of a mailbox.
    static std::function<void()> ring(const std::shared_ptr<Alarm>& alarm);

    // Writes `head`, the rendered header of the reply, then events. Returns when the stream has ended, for whatever
    // reason; the connection is then of no more use.
    boost::asio::awaitable<void> run(boost::asio::ip::tcp::socket& socket, Connection& connection, std::string head,
                                     bool chunked);

    void finish() { subscriber_->mailbox.finish(); }  // any thread

private:
    using Socket = boost::asio::ip::tcp::socket;

    // False: the connection is broken.
    boost::asio::awaitable<bool> write(Socket& socket, const std::vector<Message>& messages);
    boost::asio::awaitable<bool> write(Socket& socket, std::string text);
    boost::asio::awaitable<void> write_events(Socket& socket);
    boost::asio::awaitable<void> write_end(Socket& socket, Mailbox::State state);
    std::string chunk(std::string_view text) const;

    Services& services_;
    std::shared_ptr<Alarm> alarm_;
    std::shared_ptr<Subscriber> subscriber_;
    std::string notes_;
    bool chunked_ = true;
};

}  // namespace sluice
