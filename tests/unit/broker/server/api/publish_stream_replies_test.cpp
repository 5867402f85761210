// The replies of POST /v1/publish to a client that takes its time to read them. The test is the connection.
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address_v4.hpp>
#include <boost/asio/steady_timer.hpp>
#include <catch2/catch.hpp>
#include <cstddef>
#include <deque>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "broker/auth/user.hpp"
#include "broker/server/api/handlers.hpp"
#include "broker/server/api/services.hpp"
#include "broker/server/http/body_stream.hpp"
#include "broker/server/http/http_types.hpp"
#include "broker/server/net/principal.hpp"
#include "broker/server/net/transport.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/unit/broker/support.hpp"

namespace asio = boost::asio;
namespace server = sluice::server;
using sluice::broker::RunningBroker;

namespace {

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

// The client reads the first line only when another document is done.
class SlowlyRead final : public server::BodyStream {
public:
    explicit SlowlyRead(asio::io_context& io) : wake_(io, Clock::time_point::max()) {}

    void send(std::string part) {
        parts_.push_back(std::move(part));
        wake_.cancel();
    }
    void finish() {
        has_ended_ = true;
        wake_.cancel();
    }

    asio::awaitable<std::optional<End>> read(std::string& into, Clock::time_point) override {
        if (parts_.empty() && !has_ended_) co_await wake_.async_wait(server::no_throw);
        std::optional<End> end;
        if (parts_.empty()) {
            if (has_ended_) end = End::complete;
        } else {
            into += parts_.front();
            parts_.pop_front();
        }
        co_return end;
    }
    void interrupt() noexcept override {
        ++interrupts_;
        wake_.cancel();
    }
    std::optional<End> asked_to_end() const override { return std::nullopt; }
    std::size_t memory_bytes() const override { return 0; }
    void narrow() override {}
    server::HttpReply refusal(End) const override { return server::status_reply(400, "refused"); }

    asio::awaitable<bool> begin_reply(server::HttpReply) override { co_return true; }
    asio::awaitable<bool> write(std::string_view text) override {
        output += text;
        const std::size_t before = interrupts_;
        if (!has(output, "\"number\":2"))
            while (interrupts_ == before) co_await wake_.async_wait(server::no_throw);
        co_return true;
    }
    asio::awaitable<bool> end_reply() override { co_return true; }

    std::string output;

private:
    asio::steady_timer wake_;  // is cancelled
    std::deque<std::string> parts_;
    std::size_t interrupts_ = 0;
    bool has_ended_ = false;
};

}  // namespace

TEST_CASE("a document that is done while the reply to another one is written is answered before more comes") {
    const sluice::testing::TemporaryFolder folder;
    asio::io_context io;  // its only thread is the test's
    const auto work = asio::make_work_guard(io);
    RunningBroker running({"store.kind=rocksdb", "store.path=" + (folder.path() / "store").string()});
    SlowlyRead body(io);
    server::HeadFields fields;
    fields.set(server::http::field::content_type, "application/x-ndjson");
    server::Principal principal(asio::ip::address_v4::loopback());
    principal.account = sluice::auth::everybody();
    server::HttpRequest request;
    request.headers = &fields;
    request.query.emplace_back("deduplicate", "false");
    request.query.emplace_back("reply", "stream");
    request.principal = &principal;
    request.body_stream = &body;
    std::optional<server::HttpReply> reply;
    asio::co_spawn(io, server::publish_stream(running.broker.services(), request),
                   [&](const std::exception_ptr&, server::HttpReply made) { reply = std::move(made); });
    body.send("{\n{}\n");  // the first one is refused at once, the second one written to the disk
    EVENTUALLY((io.poll(), has(body.output, "\"number\":2")));
    CHECK(body.output.find("\"number\":1") < body.output.find("\"number\":2"));
    body.finish();
    EVENTUALLY((io.poll(), reply.has_value()));
    CHECK(reply->is_written);
    CHECK(has(body.output, "\"accepted\":1,\"refused\":1"));
}
