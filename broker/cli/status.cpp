#include <boost/json.hpp>
#include <ostream>

#include "broker/cli/commands.hpp"
#include "broker/cli/http_client.hpp"
#include "broker/cli/problem.hpp"

namespace sluice::cli {

namespace {

// One "name  value" line for each number, text or list; the names of nested objects are joined by dots.
void print(const boost::json::object& object, const std::string& prefix, std::ostream& out) {
    constexpr std::size_t name_width = 32;
    for (const auto& [key, value] : object) {
        auto name = prefix + std::string(key);
        if (const auto* nested = value.if_object()) {
            print(*nested, name + ".", out);
            continue;
        }
        name.resize(std::max(name.size() + 1, name_width), ' ');
        out << name << (value.is_string() ? std::string(value.get_string()) : boost::json::serialize(value)) << '\n';
    }
}

}  // namespace

int status(const StatusOptions& options, Console console) {
    const auto server = parse_server(options.server);
    if (!server) {
        console.err << "sluice: " << server.error().message << '\n';
        return exit_failed;
    }
    const auto reply = send(*server, {.target = "/v1/status"});
    if (!reply || reply->status != 200) {
        console.err << "sluice: " << (reply ? describe_problem(*reply, "status") : reply.error().message) << '\n';
        return exit_failed;
    }
    boost::system::error_code error;
    const auto body = boost::json::parse(reply->body, error);
    if (options.json || error || !body.is_object()) {
        console.out << reply->body << '\n';
    } else {
        print(body.get_object(), "", console.out);
    }
    return exit_done;
}

}  // namespace sluice::cli
