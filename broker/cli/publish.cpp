#include <algorithm>
#include <boost/json.hpp>
#include <chrono>
#include <cstdlib>
#include <ostream>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "broker/cli/client/http_client.hpp"
#include "broker/cli/client/problem.hpp"
#include "broker/cli/client/target.hpp"
#include "broker/cli/commands.hpp"
#include "broker/cli/common/input.hpp"
#include "broker/cli/common/line_source.hpp"
#include "broker/cli/common/output_options.hpp"
#include "broker/cli/common/progress.hpp"
#include "broker/cli/content_type.hpp"
#include "broker/cli/publish_lines.hpp"
#include "protocol/text/terminal.hpp"
#include "protocol/text/trace_context.hpp"

namespace sluice::cli {

namespace {

constexpr std::size_t guessed_bytes_max = 64u << 20;  // of a compressed document, to guess its content type
constexpr int tries_max = 10;
constexpr unsigned wait_seconds_max = 60;  // a broker that wants more is not merely busy
constexpr unsigned status_accepted = 202, status_too_large = 413, status_unavailable = 503;
constexpr int exit_refused = 1;  // less than a failure

Parameters publish_parameters(const PublishOptions& options) {
    Parameters parameters;
    if (!options.stream.empty()) parameters.emplace_back("stream", options.stream);
    if (!options.deduplicate) parameters.emplace_back("deduplicate", "false");
    if (!options.repair.empty()) parameters.emplace_back("repair", options.repair);
    return parameters;
}

std::string lines_target(const PublishOptions& options) {
    Parameters parameters = publish_parameters(options);
    parameters.emplace_back("reply", "stream");
    if (!options.content_type.empty() && !is_ndjson(options.content_type))
        parameters.emplace_back("content_type", options.content_type);
    return target_of("/v1/publish", parameters);
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

    // Returns the exit status.
    int run() {
        int status = exit_done;
        for (std::size_t i = 0; i < options_.files.size() && console_.out; ++i) {
            files_done_ = i;
            status = std::max(status, publish_file(options_.files[i]));
        }
        return status;
    }

private:
    int publish_file(const std::string& file) {
        const auto name = input_name(file);
        if (options_.lines.value_or(file == "-")) {
            auto source = LineSource::open(file);
            if (!source) return failed(describe_unreadable(file, source.error().message()), name);
            if (options_.lines || has_documents_by_line(*source)) return publish_by_line(*source, name);
            std::string document = source->read_all();
            if (!source->failure().empty()) return failed(describe_unreadable(file, source->failure()), name);
            return publish_whole(file, std::move(document), name);
        }
        auto document = read_input(file);
        if (!document) return failed(describe_unreadable(file, document.error().message()), name);
        return publish_whole(file, std::move(*document), name);
    }

    bool has_documents_by_line(LineSource& source) const {
        if (!options_.content_type.empty()) return is_ndjson(options_.content_type);
        return looks_like_ndjson(source.first_line());
    }

    std::vector<std::string> trace_headers() const {
        std::vector<std::string> headers;
        if (!trace_.empty()) headers.emplace_back("traceparent: " + trace_.parent);
        if (!trace_.state.empty()) headers.emplace_back("tracestate: " + trace_.state);
        return headers;
    }

    int publish_by_line(LineSource& source, const std::string& name) {
        const PublishedLines published =
            publish_lines(source, server_, lines_target(options_), trace_headers(), console_, name);
        if (!published.summary) return exit_failed;
        std::string text = summary(*published.summary);
        if (published.refused != 0) text += ", " + std::to_string(published.refused) + " refused";
        print(*published.summary, text, name);
        if (!published.is_complete || !source.failure().empty()) return exit_failed;
        return published.refused == 0 ? exit_done : exit_refused;
    }

    int publish_whole(const std::string& file, std::string document, const std::string& name) {
        HttpRequest request{.method = "POST", .target = target_of("/v1/events", publish_parameters(options_))};
        request.headers = trace_headers();
        const bool is_compressed = is_gzip(document);
        if (is_compressed) {
            request.content_type = content_type_of(inner_name(file), unpack(document, guessed_bytes_max).bytes);
            request.headers.emplace_back("Content-Encoding: gzip");
        } else {
            request.content_type = content_type_of(file, document);
        }
        if (!options_.content_type.empty()) request.content_type = options_.content_type;
        request.body = std::move(document);
        const auto reply = send_patiently(request);
        bar_.hide();
        if (!reply) return failed(reply.error().message, name);
        const bool may_be_split = file != "-" && !is_compressed && !options_.lines && is_ndjson(request.content_type);
        if (reply->status == status_too_large && may_be_split) {
            console_.note(name + " is too large for one document; each line is sent as one");
            auto source = LineSource::open(file);
            if (!source) return failed(describe_unreadable(file, source.error().message()), name);
            return publish_by_line(*source, name);
        }
        if (reply->status != status_accepted) {
            report_problem(console_, *reply, name);
            return exit_failed;
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

    int print(const HttpReply& reply, const std::string& name) {
        boost::system::error_code error;
        auto counts = boost::json::parse(reply.body, error);
        if (error || !counts.is_object())
            return failed(server_.url + " is not a Sluice broker: its reply is not JSON", name);
        print(counts.get_object(), summary(counts.get_object()), name);
        return exit_done;
    }

    void print(const boost::json::object& counts, const std::string& text, const std::string& name) {
        if (options_.json) {
            boost::json::object line{{"file", name}};
            for (const auto& [key, value] : counts) line[key] = value;
            console_.print_json(boost::json::serialize(line));
        } else {
            console_.out << text::terminal_line(name) << ": " << text::terminal_line(text) << '\n';
        }
        console_.out.flush();
    }

    int failed(const std::string& message, const std::string& name) {
        bar_.hide();
        console_.error(message, {{"about", name}});
        return exit_failed;
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
    return Publisher(options, *server, console).run();
}

}  // namespace sluice::cli
