#include "tests/unit/broker/cli/scripted_server.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>
#include <sys/socket.h>
#include <utility>

namespace sluice::cli::test {

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

constexpr char silence_mark = '\x04';

}  // namespace

ScriptedServer::ScriptedServer(std::vector<std::string> replies)
    : acceptor_(context_, tcp::endpoint(asio::ip::address_v4::loopback(), 0)),
      thread_([this, script = std::move(replies)] { serve(script); }) {}

// After a test fails half-way, replies may remain that nobody requests.
ScriptedServer::~ScriptedServer() { stop(); }

const std::vector<std::string>& ScriptedServer::stop() {
    ::shutdown(acceptor_.native_handle(), SHUT_RDWR);
    return requests();
}

std::string ScriptedServer::url() const {
    return "http://127.0.0.1:" + std::to_string(acceptor_.local_endpoint().port());
}

const std::vector<std::string>& ScriptedServer::requests() {
    if (thread_.joinable()) thread_.join();
    return requests_;
}

void ScriptedServer::serve(const std::vector<std::string>& replies) {
    std::vector<tcp::socket> open;
    for (const auto& reply : replies) {
        tcp::socket socket(context_);
        boost::system::error_code stopped;
        acceptor_.accept(socket, stopped);
        if (stopped) break;
        std::string request;
        const auto head = asio::read_until(socket, asio::dynamic_buffer(request), "\r\n\r\n");
        const std::string length = "Content-Length: ";
        if (const auto at = request.find(length); at < head) {
            const auto body = std::stoul(request.substr(at + length.size()));
            const auto missing = head + body - request.size();
            asio::read(socket, asio::dynamic_buffer(request), asio::transfer_exactly(missing));
        }
        boost::system::error_code ignored;
        if (request.find("Transfer-Encoding: chunked\r\n") < head)
            asio::read_until(socket, asio::dynamic_buffer(request), "\r\n0\r\n\r\n", ignored);
        requests_.push_back(std::move(request));
        const bool stays_open = reply.ends_with(silence_mark);
        asio::write(socket, asio::buffer(reply.data(), reply.size() - (stays_open ? 1 : 0)), ignored);
        if (stays_open) open.push_back(std::move(socket));
    }
    for (tcp::socket& socket : open) {
        boost::system::error_code ignored;
        std::string nothing;
        asio::read(socket, asio::dynamic_buffer(nothing), ignored);
    }
}

ClosedPort::ClosedPort() : bound_(context_, tcp::v4()) { bound_.bind({asio::ip::address_v4::loopback(), 0}); }

std::string ClosedPort::url() const { return "http://127.0.0.1:" + std::to_string(bound_.local_endpoint().port()); }

std::string then_silence(const std::string& reply) { return reply + silence_mark; }

std::string reply(const std::string& status, const std::string& headers, const std::string& body) {
    return "HTTP/1.1 " + status + "\r\n" + headers + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
           body;
}

}  // namespace sluice::cli::test
