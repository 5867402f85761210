// A server with scripted replies, on its own port and thread: one reply for each connection, in order, after the
// request's body has come whole.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <string>
#include <thread>
#include <vector>

namespace sluice::cli::test {

class ScriptedServer {
public:
    explicit ScriptedServer(std::vector<std::string> replies);
    ~ScriptedServer();
    ScriptedServer(const ScriptedServer&) = delete;
    ScriptedServer& operator=(const ScriptedServer&) = delete;

    std::string url() const;
    const std::vector<std::string>& requests();  // in order of arrival; waits until all replies have been sent
    const std::vector<std::string>& stop();      // the same, but replies that nobody has requested are left out

private:
    void serve(const std::vector<std::string>& replies);

    boost::asio::io_context context_;
    boost::asio::ip::tcp::acceptor acceptor_;
    std::vector<std::string> requests_;
    std::thread thread_;
};

// A port of its own that refuses connections: nobody listens.
class ClosedPort {
public:
    ClosedPort();
    std::string url() const;

private:
    boost::asio::io_context context_;
    boost::asio::ip::tcp::acceptor bound_;
};

// A reply after which the connection stays open until the client closes it. Others may come meanwhile.
std::string then_silence(const std::string& reply);

// "HTTP/1.1 STATUS", the headers, and a body with its length.
std::string reply(const std::string& status, const std::string& headers, const std::string& body);

}  // namespace sluice::cli::test
