#include <boost/json.hpp>
#include <boost/url.hpp>
#include <chrono>
#include <ostream>
#include <thread>

#include "broker/cli/commands.hpp"
#include "broker/cli/http_client.hpp"
#include "broker/cli/input.hpp"
#include "broker/cli/problem.hpp"

namespace sluice::cli {

namespace {

constexpr int tries_max = 10;
constexpr unsigned status_accepted = 202, status_unavailable = 503;

std::string publish_target(const PublishOptions& options) {
    boost::urls::url target("/v1/events");
    if (!options.stream.empty()) target.params().append({"stream", options.stream});
    if (!options.deduplicate) target.params().append({"deduplicate", "false"});
    return target.buffer();
}

const char* content_type(const std::string& document) {
    const auto start = document.find_first_not_of(" \t\r\n");
    const bool json = start != std::string::npos && document[start] == '{';
    return json ? "application/feed+json" : "application/xml";
}

// "12 received: 3 new, 1 updated, 8 unchanged", from {"received":12,"new":3,"updated":1,"unchanged":8}.
std::string summary(const std::string& body) {
    boost::system::error_code error;
    const auto reply = boost::json::parse(body, error);
    const auto* counts = error ? nullptr : reply.if_object();
    if (!counts) return body;
    const auto count = [&](const char* name) {
        const auto* value = counts->if_contains(name);
        return (value ? boost::json::serialize(*value) : "?") + " " + name;
    };
    return count("received") + ": " + count("new") + ", " + count("updated") + ", " + count("unchanged");
}

// A broker that is busy says when to come back, and is obeyed.
boost::system::result<HttpReply, HttpError> send_patiently(const HttpServer& server, const HttpRequest& request,
                                                           Console console) {
    for (int tries = 1;; ++tries) {
        auto reply = send(server, request);
        if (!reply || reply->status != status_unavailable || !reply->retry_after_seconds || tries == tries_max) {
            return reply;
        }
        console.err << "sluice: the broker is busy; trying again in " << *reply->retry_after_seconds << " s\n";
        std::this_thread::sleep_for(std::chrono::seconds(*reply->retry_after_seconds));
    }
}

bool publish_file(const HttpServer& server, const std::string& target, const std::string& file, Console console) {
    const auto name = input_name(file);
    auto document = read_input(file);
    if (!document) {
        console.err << "sluice: can't read " << name << ": " << document.error().message() << '\n';
        return false;
    }
    HttpRequest request{.method = boost::beast::http::verb::post, .target = target, .content_type = "", .body = ""};
    request.content_type = content_type(*document);
    request.body = std::move(*document);
    const auto reply = send_patiently(server, request, console);
    if (!reply) {
        console.err << "sluice: " << reply.error().message << '\n';
        return false;
    }
    if (reply->status != status_accepted) {
        console.err << "sluice: " << describe_problem(*reply, name) << '\n';
        return false;
    }
    console.out << name << ": " << summary(reply->body) << std::endl;
    return true;
}

}  // namespace

int publish(const PublishOptions& options, Console console) {
    const auto server = parse_server(options.server);
    if (!server) {
        console.err << "sluice: " << server.error().message << '\n';
        return exit_failed;
    }
    bool all = true;
    for (const auto& file : options.files) all &= publish_file(*server, publish_target(options), file, console);
    return all ? exit_done : exit_failed;
}

}  // namespace sluice::cli
