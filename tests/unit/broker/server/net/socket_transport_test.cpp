#include "broker/server/net/socket_transport.hpp"

#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "broker/server/net/principal.hpp"
#include "tests/support/eventually.hpp"

namespace asio = boost::asio;
using asio::ip::tcp;
using sluice::server::SocketTransport;

namespace {

struct Pair {
    explicit Pair(asio::io_context& io) : near(io), far(io) {
        tcp::acceptor acceptor(io, {asio::ip::address_v4::loopback(), 0});
        near.connect(acceptor.local_endpoint());
        acceptor.accept(far);
    }
    tcp::socket near, far;
};

asio::awaitable<void> write_all(SocketTransport& transport, std::vector<asio::const_buffer> buffers, bool& written) {
    written = co_await transport.write(buffers);
    transport.end_sending();
}

asio::awaitable<void> read_all(SocketTransport& transport, std::string& read) {
    std::array<char, 1'000> room;
    while (const std::size_t n = co_await transport.read_some(asio::buffer(room))) read.append(room.data(), n);
}

}  // namespace

TEST_CASE("what is written in turns arrives whole, however it is cut") {
    for (const std::size_t bytes : {0u, 1u, 65'536u, 65'537u, 200'000u, 3'000'000u}) {
        asio::io_context io{1};
        Pair pair(io);
        SocketTransport near(std::move(pair.near));
        std::string text(bytes, 'x');
        for (std::size_t i = 0; i < bytes; ++i) text[i] = static_cast<char>('a' + i % 23);
        const std::vector<asio::const_buffer> buffers{asio::buffer(text.data(), bytes / 3), asio::const_buffer(),
                                                      asio::buffer(text.data() + bytes / 3, bytes - bytes / 3)};
        bool written = false;
        asio::co_spawn(io, write_all(near, buffers, written), asio::detached);
        std::string read;
        asio::async_read(pair.far, asio::dynamic_buffer(read), [](boost::system::error_code, std::size_t) {});
        io.run();
        CHECK(written);
        CHECK((read == text));
    }
}

TEST_CASE("what is written at once arrives, until the connection takes no more") {
    asio::io_context io{1};
    Pair pair(io);
    SocketTransport near(std::move(pair.near));
    const std::string piece(50'000, 'x');
    using Buffers = std::vector<asio::const_buffer>;
    const Buffers all{asio::buffer(piece.data(), 7), asio::const_buffer(), asio::buffer(piece.data() + 7, 49'993)};
    Buffers rest = all;
    std::size_t written = 0;
    for (; near.write_now(rest); rest = all) written += piece.size();
    CHECK(written != 0);
    const std::size_t left = asio::buffer_size(rest);
    CHECK(left != 0);
    written += piece.size() - left;
    std::string read(written, ' ');
    CHECK(asio::read(pair.far, asio::buffer(read)) == written);
    CHECK((read == std::string(written, 'x')));
    EVENTUALLY(near.write_now(rest));
    CHECK(asio::buffer_size(rest) == 0);
    pair.far.close();
    EVENTUALLY(near.peer_has_left());
    EVENTUALLY((rest = all, !near.write_now(rest)));
    const std::string long_text(70'000, 'x');  // takes turns
    Buffers text{asio::buffer(long_text)};
    CHECK_FALSE(near.write_now(text));
    CHECK(asio::buffer_size(text) == long_text.size());
}

TEST_CASE("SocketTransport: one call writes up to 256 buffers at once") {
    asio::io_context io{1};
    Pair pair(io);
    SocketTransport near(std::move(pair.near));
    const std::string text(100, 'x');
    std::vector<asio::const_buffer> buffers(257, asio::buffer(text));
    CHECK_FALSE(near.write_now(buffers));
    CHECK(asio::buffer_size(buffers) == text.size());
    CHECK(near.write_now(buffers));
    std::string read(257 * text.size(), ' ');
    asio::read(pair.far, asio::buffer(read));
    CHECK((read == std::string(257 * text.size(), 'x')));
}

TEST_CASE("a client that a socket on [::] reports as IPv4-mapped is the IPv4 client that it is") {
    asio::io_context io{1};
    tcp::acceptor acceptor(io, {asio::ip::make_address("::ffff:127.0.0.1"), 0});
    tcp::socket near(io), far(io);
    far.connect({asio::ip::address_v4::loopback(), acceptor.local_endpoint().port()});
    acceptor.accept(near);
    const auto address = near.remote_endpoint().address();
    REQUIRE(address.is_v6());
    CHECK(sluice::server::Principal(address).address == asio::ip::address_v4::loopback());
    CHECK(SocketTransport(std::move(near)).peer() == "127.0.0.1:" + std::to_string(far.local_endpoint().port()));
    const auto other = asio::ip::make_address("2001:db8::1");
    CHECK(sluice::server::Principal(other).address == other);
}

TEST_CASE("writing in turns ends where the connection does") {
    asio::io_context io{1};
    Pair pair(io);
    SocketTransport near(std::move(pair.near));
    pair.far.set_option(asio::socket_base::linger(true, 0));
    pair.far.close();
    const std::string text(10'000'000, 'x');
    bool written = true;
    asio::co_spawn(io, write_all(near, {asio::buffer(text)}, written), asio::detached);
    io.run();
    CHECK_FALSE(written);
}

TEST_CASE("arriving bytes are read, and their end is reported") {
    asio::io_context io{1};
    Pair pair(io);
    SocketTransport near(std::move(pair.near));
    CHECK(near.peer().starts_with("127.0.0.1:"));
    CHECK_FALSE(near.peer_has_left());
    asio::write(pair.far, asio::buffer("dropped", 7));
    asio::co_spawn(io, near.wait_to_read(), asio::detached);
    io.run();
    io.restart();
    CHECK(near.drop_arrived());
    asio::write(pair.far, asio::buffer("read", 4));
    pair.far.shutdown(tcp::socket::shutdown_send);
    CHECK(near.peer_has_left());
    std::string read;
    asio::co_spawn(io, read_all(near, read), asio::detached);
    io.run();
    CHECK(read == "read");
    CHECK_FALSE(near.drop_arrived());
    near.close();
    CHECK(near.peer_has_left());
    CHECK(near.peer().empty());
    near.cancel();
    near.end_sending();
    near.abort();
}

TEST_CASE("an abort drops what has not been taken") {
    asio::io_context io{1};
    Pair pair(io);
    SocketTransport near(std::move(pair.near));
    const std::string text(1'000'000, 'x');
    const asio::const_buffer buffer = asio::buffer(text);
    bool written = true;
    asio::co_spawn(io, write_all(near, {buffer}, written), asio::detached);
    asio::post(io, [&] { near.abort(); });
    io.run();
    CHECK_FALSE(written);
    std::string read;
    boost::system::error_code error;
    asio::read(pair.far, asio::dynamic_buffer(read), error);
    CHECK(error == asio::error::connection_reset);
}
