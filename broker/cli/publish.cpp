#include <algorithm>
#include <boost/json.hpp>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "broker/cli/client/http_client.hpp"
#include "broker/cli/client/members.hpp"
#include "broker/cli/client/patience.hpp"
#include "broker/cli/client/problem.hpp"
#include "broker/cli/client/target.hpp"
#include "broker/cli/commands.hpp"
#include "broker/cli/common/input.hpp"
#include "broker/cli/common/interrupt.hpp"
#include "broker/cli/common/line_source.hpp"
#include "broker/cli/common/output_options.hpp"
#include "broker/cli/common/plain_json.hpp"
#include "broker/cli/common/progress.hpp"
#include "broker/cli/content_type.hpp"
#include "broker/cli/publish_lines.hpp"
#include "protocol/text/terminal.hpp"
#include "protocol/text/trace_context.hpp"

namespace sluice::cli {

namespace {

// A document of more bytes, which is the broker's default limits.document_bytes, is read only as far as the broker
// takes it: it may have no end.
constexpr std::size_t whole_bytes_max = 16u << 20;
constexpr unsigned status_accepted = 202, status_too_large = 413;
constexpr int exit_refused = 1;  // less than a failure

Parameters publish_parameters(const PublishOptions& options) {
    Parameters parameters;
    if (options.stream) parameters.emplace_back("stream", *options.stream);
    if (!options.deduplicate) parameters.emplace_back("deduplicate", "false");
    if (!options.repair.empty()) parameters.emplace_back("repair", options.repair);
    return parameters;
}

LineRequests line_requests(const PublishOptions& options, std::vector<std::string> headers) {
    const bool has_type = !options.content_type.empty() && !is_ndjson(options.content_type);
    Parameters parameters = publish_parameters(options);
    LineRequests requests;
    requests.line_target = target_of("/v1/events", parameters);
    parameters.emplace_back("reply", "stream");
    if (has_type) parameters.emplace_back("content_type", options.content_type);
    requests.stream_target = target_of("/v1/publish", parameters);
    requests.line_type = has_type ? options.content_type : "application/json";
    requests.headers = std::move(headers);
    return requests;
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
        return (value ? plain_json(*value) : "?") + " " + name;
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
    return text + " (line " + plain_json(*line) + ": " + std::string(reason->get_string()) + ")";
}

std::string counted(std::uint64_t count, const char* what) {
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

// The same of lines, of which some may have been refused, or some of the items in those that were accepted.
std::string summary(const PublishedLines& published) {
    std::string text = summary(*published.summary);
    const std::uint64_t items_refused = number_in(*published.summary, "items_refused");
    if (items_refused != 0) text += ", " + counted(items_refused, "item") + " refused";
    if (items_refused != 0 && !published.refused_item.empty()) text += " (" + published.refused_item + ")";
    if (published.refused != 0) text += ", " + counted(published.refused, "line") + " refused";
    return text;
}

// The end of a document's source that is no end of the document.
struct Unreadable {};

// A document that is sent as it is read. What has been read is kept, to be sent again.
HttpBodySource body_of(LineSource& source, std::string& document, std::size_t bytes_max) {
    const auto sent = std::make_shared<std::size_t>(0);
    HttpBodySource body;
    body.begin = [sent] { *sent = 0; };
    body.read = [&source, &document, bytes_max, sent](char* room, std::size_t bytes) -> std::optional<std::size_t> {
        if (*sent == document.size() && source.has_more()) document += source.read(bytes);
        if (!source.failure().empty() || document.size() > bytes_max) throw Unreadable();
        const std::size_t copied = document.copy(room, bytes, *sent);
        *sent += copied;
        return copied;
    };
    body.is_ready = [] { return true; };
    body.descriptor = [] { return -1; };
    return body;
}

// Of a file; 0: that is not known.
std::size_t bytes_of(const std::string& file) {
    std::error_code error;
    const auto bytes = std::filesystem::file_size(file, error);
    return error ? 0 : static_cast<std::size_t>(bytes);
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
        for (std::size_t i = 0; i < options_.files.size() && console_.out && !Interrupt::requested(); ++i) {
            files_done_ = i;
            status = std::max(status, publish_file(options_.files[i]));
        }
        return status;
    }

private:
    int publish_file(const std::string& file) {
        const bool may_have_lines = options_.lines.value_or(file == "-");
        auto source = LineSource::open(file, options_.document_bytes_max,
                                       may_have_lines ? LineSource::Gzip::unpacked : LineSource::Gzip::kept);
        if (!source) return unreadable(file, source.error().message());
        if (may_have_lines && (options_.lines || has_documents_by_line(*source)))
            return publish_by_line(*source, input_name(file));
        return publish_whole(file, *source);
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
        const Interrupt interrupt;
        const LineRequests requests = line_requests(options_, trace_headers());
        const PublishedLines published = publish_lines(source, server_, requests, console_, name);
        if (!published.summary) return exit_failed;
        print(*published.summary, summary(published), name);
        if (!published.is_complete || !source.failure().empty()) return exit_failed;
        if (Interrupt::requested()) return exit_interrupted;
        const bool is_whole = published.refused == 0 && number_in(*published.summary, "items_refused") == 0;
        return is_whole ? exit_done : exit_refused;
    }

    int publish_whole(const std::string& file, LineSource& source) {
        const std::string name = input_name(file);
        std::string document = source.read(std::min(whole_bytes_max, options_.document_bytes_max));
        if (!source.failure().empty()) return unreadable(file, source.failure());
        HttpRequest request{.method = "POST", .target = target_of("/v1/events", publish_parameters(options_))};
        request.headers = trace_headers();
        if (is_gzip(document)) {
            request.content_type = content_type_of(inner_name(file), unpacked_beginning(document));
            request.headers.emplace_back("Content-Encoding: gzip");
        } else {
            request.content_type = content_type_of(file, document);
        }
        if (!options_.content_type.empty()) request.content_type = options_.content_type;
        const bool may_split = may_be_split(file, request.content_type);
        if (source.has_more() && document.size() == options_.document_bytes_max) return beyond(file, may_split);
        std::size_t bytes = document.size();
        if (source.has_more()) {
            request.source = body_of(source, document, options_.document_bytes_max);
            bytes = bytes_of(file);
        } else {
            request.body = std::move(document);
        }
        try {
            const auto reply = send_whole(std::move(request), bytes, name);
            bar_.hide();
            return conclude(file, reply, may_split);
        } catch (const Unreadable&) {
            return source.failure().empty() ? beyond(file, may_split) : unreadable(file, source.failure());
        }
    }

    // What no broker takes as one document.
    int beyond(const std::string& file, bool may_split) {
        if (may_split) return split(file);
        return unreadable(file, "it is larger than " + std::to_string(options_.document_bytes_max) + " bytes" +
                                    std::string(no_broker_takes) + "; --lines sends each line as one");
    }

    int conclude(const std::string& file, const boost::system::result<HttpReply, HttpError>& reply, bool may_split) {
        const std::string name = input_name(file);
        if (!reply) return failed(name + ": " + reply.error().message, name);
        if (reply->status == status_too_large && may_split) return split(file);
        if (reply->status == status_accepted) return print(*reply, name);
        report_problem(console_, *reply, name);
        if (reply->status == status_too_large && reply->body.find("limits.") == std::string::npos)
            console_.note(
                "limits.document_bytes is the broker's limit for a document; --lines sends each line as a document",
                {{"about", name}});
        return exit_failed;
    }

    bool may_be_split(const std::string& file, const std::string& content_type) const {
        return file != "-" && !options_.lines && is_ndjson(content_type);
    }

    int split(const std::string& file) {
        const std::string name = input_name(file);
        console_.note(name + " is too large for one document; each line is sent as one");
        auto source = LineSource::open(file, options_.document_bytes_max);
        return source ? publish_by_line(*source, name) : unreadable(file, source.error().message());
    }

    // `bytes`: of its body; 0: that is not known.
    boost::system::result<HttpReply, HttpError> send_whole(HttpRequest request, std::size_t bytes,
                                                           const std::string& name) {
        HttpWatch watch;
        watch.sent = [this, bytes](std::size_t sent) {
            const double share = bytes == 0 ? 0 : std::min(1.0, static_cast<double>(sent) / static_cast<double>(bytes));
            bar_.show((static_cast<double>(files_done_) + share) / static_cast<double>(options_.files.size()));
        };
        return send_document(server_, std::move(request), watch, [this, &name](const std::string& text) {
            bar_.hide();
            console_.note(name + ": " + text, {{"about", name}});
        });
    }

    int print(const HttpReply& reply, const std::string& name) {
        if (reply.body.empty()) {
            print({}, "published; the broker had no memory to say more", name);
            return exit_done;
        }
        boost::system::error_code error;
        auto counts = boost::json::parse(reply.body, error);
        if (error || !counts.is_object())
            return failed(name + ": " + server_.url + " is not a Sluice broker: its reply is not JSON", name);
        print(counts.get_object(), summary(counts.get_object()), name);
        return number_in(counts.get_object(), "refused") == 0 ? exit_done : exit_refused;
    }

    void print(const boost::json::object& counts, const std::string& text, const std::string& name) {
        if (options_.json) {
            boost::json::object line{{"file", name}};
            for (const auto& [key, value] : counts) line[key] = value;
            console_.print_json(plain_json(line));
        } else {
            console_.out << text::terminal_line(name) << ": " << text::terminal_line(text) << '\n';
        }
        console_.out.flush();
    }

    int unreadable(const std::string& file, const std::string& reason) {
        return failed(describe_unreadable(file, reason), input_name(file));
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
