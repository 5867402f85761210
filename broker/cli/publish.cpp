#include <algorithm>
#include <boost/json.hpp>
#include <chrono>
#include <cstdlib>
#include <ostream>
#include <string_view>
#include <thread>

#include "broker/cli/client/http_client.hpp"
#include "broker/cli/client/problem.hpp"
#include "broker/cli/client/target.hpp"
#include "broker/cli/commands.hpp"
#include "broker/cli/common/input.hpp"
#include "broker/cli/common/progress.hpp"
#include "broker/cli/content_type.hpp"
#include "protocol/text/terminal.hpp"
#include "protocol/text/trace_context.hpp"

namespace sluice::cli {

namespace {

constexpr std::size_t guessed_bytes_max = 64u << 20;  // of a compressed document, to guess its content type
constexpr int tries_max = 10;
constexpr unsigned wait_seconds_max = 60;  // a broker that wants more is not merely busy
constexpr unsigned status_accepted = 202, status_unavailable = 503;

std::string publish_target(const PublishOptions& options) {
    Parameters parameters;
    if (!options.stream.empty()) parameters.emplace_back("stream", options.stream);
    if (!options.deduplicate) parameters.emplace_back("deduplicate", "false");
    if (!options.repair.empty()) parameters.emplace_back("repair", options.repair);
    return target_of("/v1/events", parameters);
}

// The trace context to publish in. A program that is traced names its own in the environment of those that it starts
// (https://opentelemetry.io/docs/specs/otel/context/env-carriers/); what is malformed there counts as absent.
text::TraceContext trace_context_of(const PublishOptions& options) {
    if (!options.trace_parent.empty()) return text::trace_context(options.trace_parent, {});
    const auto variable = [](const char* name) {
        const char* value = std::getenv(name);
        return std::string_view(value == nullptr ? "" : value);
    };
    return text::trace_context(variable("TRACEPARENT"), variable("TRACESTATE"));
}

// "12 received: 3 new, 1 updated, 8 unchanged", from {"received":12,"new":3,"updated":1,"unchanged":8}. If items were
// refused, their number and the first reason follow.
std::string summary(const boost::json::object& counts) {
    const auto count = [&](const char* name) {
        const auto* value = counts.if_contains(name);
        return (value ? boost::json::serialize(*value) : "?") + " " + name;
    };
    std::string text = count("received") + ": " + count("new") + ", " + count("updated") + ", " + count("unchanged");
    if (counts.contains("repaired")) text += ", " + count("repaired");
    const auto* refusals = counts.if_contains("refusals");
    if (!refusals || !refusals->is_array() || refusals->get_array().empty()) return text;
    const auto* first = refusals->get_array().front().if_object();
    const auto* line = first ? first->if_contains("line") : nullptr;
    const auto* reason = first ? first->if_contains("reason") : nullptr;
    text += ", " + count("refused");
    if (!line || !reason || !reason->is_string()) return text;
    return text + " (line " + boost::json::serialize(*line) + ": " + std::string(reason->get_string()) + ")";
}

class Publisher {
public:
    Publisher(const PublishOptions& options, const HttpServer& server, const Console& console)
        : options_(options),
          server_(server),
          trace_(trace_context_of(options)),
          console_(console),
          bar_(console_.err, console_.progress_columns) {}

    // Returns whether the broker took all files.
    bool run() {
        bool all = true;
        for (std::size_t i = 0; i < options_.files.size() && console_.out; ++i) {
            files_done_ = i;
            all &= publish_file(options_.files[i]);
        }
        return all;
    }

private:
    bool publish_file(const std::string& file) {
        const auto name = input_name(file);
        auto document = read_input(file);
        if (!document) return failed(describe_unreadable(file, document.error().message()), name);
        HttpRequest request{.method = "POST", .target = publish_target(options_)};
        if (is_gzip(*document)) {
            request.content_type = content_type_of(inner_name(file), unpack(*document, guessed_bytes_max).bytes);
            request.headers.emplace_back("Content-Encoding: gzip");
        } else {
            request.content_type = content_type_of(file, *document);
        }
        if (!options_.content_type.empty()) request.content_type = options_.content_type;
        if (!trace_.empty()) request.headers.emplace_back("traceparent: " + trace_.parent);
        if (!trace_.state.empty()) request.headers.emplace_back("tracestate: " + trace_.state);
        request.body = std::move(*document);
        const auto reply = send_patiently(request);
        bar_.hide();
        if (!reply) return failed(reply.error().message, name);
        if (reply->status != status_accepted) {
            report_problem(console_, *reply, name);
            return false;
        }
        return print(*reply, name);
    }

    // Retries when a busy broker says to, after the time that it names.
    boost::system::result<HttpReply, HttpError> send_patiently(const HttpRequest& request) {
        HttpWatch watch;
        watch.sent = [&](std::size_t sent) {
            const double share =
                static_cast<double>(sent) / static_cast<double>(std::max<std::size_t>(1, request.body.size()));
            bar_.show((static_cast<double>(files_done_) + share) / static_cast<double>(options_.files.size()));
        };
        for (int tries = 1;; ++tries) {
            auto reply = send(server_, request, watch);
            const bool is_busy = reply && reply->status == status_unavailable && reply->retry_after_seconds &&
                                 *reply->retry_after_seconds <= wait_seconds_max;
            if (!is_busy || tries == tries_max) return reply;
            bar_.hide();
            console_.note("the broker is busy; trying again in " + std::to_string(*reply->retry_after_seconds) + " s");
            std::this_thread::sleep_for(std::chrono::seconds(*reply->retry_after_seconds));
        }
    }

    bool print(const HttpReply& reply, const std::string& name) {
        boost::system::error_code error;
        auto counts = boost::json::parse(reply.body, error);
        if (error || !counts.is_object())
            return failed(server_.url + " is not a Sluice broker: its reply is not JSON", name);
        if (options_.json) {
            boost::json::object line{{"file", name}};
            for (const auto& [key, value] : counts.get_object()) line[key] = value;
            console_.print_json(boost::json::serialize(line));
        } else {
            console_.out << text::terminal_line(name) << ": " << text::terminal_line(summary(counts.get_object()))
                         << '\n';
        }
        console_.out.flush();
        return true;
    }

    bool failed(const std::string& message, const std::string& name) {
        bar_.hide();
        console_.error(message, {{"about", name}});
        return false;
    }

    const PublishOptions& options_;
    const HttpServer& server_;
    const text::TraceContext trace_;
    Console console_;
    ProgressBar bar_;
    std::size_t files_done_ = 0;
};

}  // namespace

int publish(const PublishOptions& options, Console console) {
    const auto server = find_server(options);
    if (!server) {
        console.error(server.error().message);
        return exit_failed;
    }
    return Publisher(options, *server, console).run() ? exit_done : exit_failed;
}

}  // namespace sluice::cli
