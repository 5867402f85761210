#include "broker/server/sse/stream_writer.hpp"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <catch2/catch.hpp>
#include <cstddef>
#include <functional>
#include <future>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "broker/server/net/transport.hpp"
#include "broker/server/net/turns.hpp"
#include "tests/unit/broker/core/delivery/plain_framer.hpp"

namespace asio = boost::asio;
using sluice::server::piece_bytes;
using sluice::server::StreamWriter;

namespace {

// A connection that is only written to. It takes the first bytes at once and all others later.
class HalfWrittenTransport final : public sluice::server::Transport {
public:
    HalfWrittenTransport(asio::io_context& io, std::size_t at_once) : io_(io), at_once_(at_once) {}

    const std::string& output() const { return output_; }
    std::size_t buffers_at_once() const { return buffers_at_once_; }  // that were to be written at once
    std::size_t bytes_later() const { return bytes_later_; }

    asio::any_io_executor executor() override { return io_.get_executor(); }
    std::string peer() const override { return {}; }
    asio::awaitable<bool> open(const std::function<bool()>&) override { co_return true; }
    std::string user() const override { return {}; }
    asio::awaitable<std::size_t> read_some(asio::mutable_buffer) override { co_return 0; }
    asio::awaitable<void> wait_to_read() override { co_return; }
    asio::awaitable<bool> write(std::span<const asio::const_buffer> buffers) override {
        bytes_later_ += append(buffers, asio::buffer_size(buffers));
        co_return true;
    }
    void on_input(std::function<void()>) override {}
    bool drop_arrived() override { return true; }
    bool peer_has_left() override { return false; }
    void end_sending() noexcept override {}
    void cancel() noexcept override {}
    void close() noexcept override {}
    void abort() noexcept override {}

private:
    std::size_t write_some_now(std::span<const asio::const_buffer> buffers) noexcept override {
        buffers_at_once_ += buffers.size();
        return append(buffers, std::min(at_once_, asio::buffer_size(buffers)));
    }
    std::size_t append(std::span<const asio::const_buffer> buffers, std::size_t bytes) {
        const std::size_t before = output_.size();
        output_.resize(before + bytes);
        return asio::buffer_copy(asio::buffer(output_.data() + before, bytes), buffers);
    }

    asio::io_context& io_;
    const std::size_t at_once_;
    std::string output_;
    std::size_t buffers_at_once_ = 0, bytes_later_ = 0;
};

bool write_widely(asio::io_context& io, HalfWrittenTransport& transport, bool chunked,
                  const std::vector<sluice::broker::Delivery>& deliveries) {
    StreamWriter writer(transport, chunked);
    std::future<bool> written =
        asio::co_spawn(io, writer.write(sluice::broker::plain_framer, deliveries, true, true), asio::use_future);
    io.restart();
    io.run();
    return written.get();
}

}  // namespace

TEST_CASE("StreamWriter: what many subscribers get arrives whole, however much of it is taken at once") {
    const bool chunked = GENERATE(false, true);
    std::vector<sluice::broker::Delivery> deliveries;
    for (const char* body : {"one", "and another", "3."})
        deliveries.push_back(sluice::broker::delivery_of(std::make_shared<const sluice::broker::SharedEvent>(
            sluice::broker::SharedEvent{std::make_shared<const std::string>("s"), 1, body})));
    const std::string text = chunked ? "10\r\noneand another3.\r\n" : "oneand another3.";
    for (std::size_t at_once = 0; at_once <= text.size(); ++at_once) {
        asio::io_context io{1};
        HalfWrittenTransport first(io, at_once), second(io, at_once);
        CHECK(write_widely(io, first, chunked, deliveries));
        CHECK(first.buffers_at_once() == (chunked ? 5u : 3u));
        CHECK(write_widely(io, second, chunked, deliveries));
        CHECK(second.buffers_at_once() == 1);  // the text of the first
        for (const HalfWrittenTransport* each : {&first, &second}) {
            CHECK(each->output() == text);
            CHECK(each->bytes_later() == text.size() - at_once);
        }
    }
}

TEST_CASE("StreamWriter: as many deliveries as make a piece are written at once, and a longer one by itself") {
    const auto written_at_once = [](std::size_t deliveries, std::size_t bytes) {
        return StreamWriter::first_piece(sluice::broker::deliveries(deliveries, std::string(bytes, 'x'))).size();
    };
    CHECK(written_at_once(0, 1) == 0);
    CHECK(written_at_once(1'000, 1) == 1'000);
    CHECK(written_at_once(5, 20'000) == 3);
    CHECK(written_at_once(4, piece_bytes / 4) == 3);  // the chunk's own bytes count, too
    CHECK(written_at_once(2, piece_bytes) == 1);
    CHECK(written_at_once(2, 3 * piece_bytes) == 1);
}
