// A server that says what the test tells it to, on a port of its own, in a thread of its own: one reply for each
// connection, in order.
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
    const std::vector<std::string>& requests();  // as they came; waits until all replies have been given

private:
    void serve(const std::vector<std::string>& replies);

    boost::asio::io_context context_;
    boost::asio::ip::tcp::acceptor acceptor_;
    std::vector<std::string> requests_;
    std::thread thread_;
};

// "HTTP/1.1 STATUS", the headers, and a body with its length.
std::string reply(const std::string& status, const std::string& headers, const std::string& body);

}  // namespace sluice::cli::test
