// What becomes of a reply whose user changes while the request is answered.
#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "broker/server/api/services.hpp"
#include "broker/server/http/http_sessions.hpp"
#include "broker/server/net/connections.hpp"
#include "broker/server/net/io_threads.hpp"
#include "broker/server/net/listener.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/unit/broker/support.hpp"

namespace asio = boost::asio;
namespace server = sluice::server;
using sluice::broker::HttpClient;
using sluice::broker::RunningBroker;

namespace {

// A second listener of a broker, whose handler revokes who asks. Those without credentials have a role of the file.
struct Revoking {
    Revoking() {
        threads.start();
        listener->keep_running();
    }
    ~Revoking() {
        listener->close();
        running.broker.services().connections.cut();
        running.broker.services().connections.wait_until_none(server::Connection::Clock::now() +
                                                              std::chrono::minutes(1));
        threads.stop();
    }

    static std::string users_file(const std::filesystem::path& folder) {
        const std::string path = folder / "users.yaml";
        std::ofstream(path) << "roles: {desk: {subscribe: [a]}}\nusers: {}\n";
        return path;
    }
    static sluice::config::ListenerOptions place() {
        sluice::config::ListenerOptions place;
        place.address = "127.0.0.1";
        return place;
    }
    server::Route route_of(std::string_view path) const {
        server::Route route{
            [has_taken = path == "/taken"](server::HttpRequest& request) { return answer(request, has_taken); }};
        route.watched = path == "/watched";
        return route;
    }
    static asio::awaitable<server::HttpReply> answer(const server::HttpRequest& request, bool has_taken) {
        request.principal->account->is_revoked = true;
        server::HttpReply reply;
        reply.body = "found";
        reply.has_taken = has_taken;
        co_return reply;
    }

    unsigned status(const std::string& method, const std::string& path) {
        HttpClient client(listener->place().port);
        client.send(method + " " + path + " HTTP/1.1\r\nHost: test\r\n\r\n");
        return client.read_reply().status;
    }

    sluice::testing::TemporaryFolder folder;
    RunningBroker running{{"auth.users=" + users_file(folder.path()), "auth.anonymous=desk"}};
    server::IoThreads threads{1};
    server::HttpSessions sessions{running.broker.services(), running.broker.services().browser_rules,
                                  running.broker.services().authentication,
                                  [this](server::http::verb, std::string_view path) { return route_of(path); }};
    std::shared_ptr<server::Listener> listener =
        std::make_shared<server::Listener>(place(), nullptr, threads, running.broker.services(), sessions);
};

}  // namespace

TEST_CASE_METHOD(Revoking, "what was found for a user who has changed meanwhile is not shown") {
    CHECK(status("GET", "/") == 401);
    CHECK(status("POST", "/watched") == 401);
}

TEST_CASE_METHOD(Revoking,
                 "the reply to a user who has changed meanwhile tells what was done, and has what was taken") {
    CHECK(status("POST", "/") == 200);
    CHECK(status("GET", "/taken") == 200);
}
