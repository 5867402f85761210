#include "broker/cli/publish_lines.hpp"

#include <boost/json/parse.hpp>
#include <chrono>
#include <thread>
#include <utility>

#include "broker/cli/client/problem.hpp"
#include "protocol/text/ascii.hpp"

namespace sluice::cli {

namespace json = boost::json;

namespace {

constexpr std::size_t reply_line_bytes_max = 16u << 20;
constexpr int starts_max = 10;
constexpr unsigned start_wait_seconds_max = 60;  // a broker that wants more is not merely busy
constexpr unsigned status_ok = 200, status_busy = 503;

// Of a problem: its status; else 0.
unsigned status_in(const json::object& reply) {
    const json::value* status = reply.if_contains("status");
    return status != nullptr && status->is_number() ? status->to_number<unsigned>() : 0;
}

// Takes the broker's reply apart: a line for each document, then the summary.
class ReplyLines {
public:
    ReplyLines(const Console& console, const std::string& name, PublishedLines& published)
        : console_(console), name_(name), published_(published) {}

    // Returns false if nothing more is to come.
    bool take(std::string_view bytes) {
        text_.append(bytes);
        std::size_t begin = 0;
        for (std::size_t end; (end = text_.find('\n', begin)) != std::string::npos; begin = end + 1)
            if (!take_line(std::string_view(text_).substr(begin, end - begin))) return false;
        text_.erase(0, begin);
        return text_.size() <= reply_line_bytes_max;
    }

private:
    bool take_line(std::string_view line) {
        boost::system::error_code error;
        json::value parsed = json::parse(line, error);
        if (error || !parsed.is_object()) return false;
        json::object& reply = parsed.get_object();
        const unsigned status = status_in(reply);
        HttpReply problem;
        problem.status = status;
        problem.body = line;
        if (!reply.contains("number")) {
            published_.is_complete = status == 0;
            if (status != 0) report_problem(console_, problem, name_);
            published_.summary = std::move(reply);
            return false;
        }
        if (status == 0) return true;
        ++published_.refused;
        report_problem(console_, problem, name_);
        return true;
    }

    const Console& console_;
    const std::string& name_;
    PublishedLines& published_;
    std::string text_;  // from the beginning of a line
};

}  // namespace

bool is_ndjson(std::string_view content_type) {
    const std::string type = text::ascii_lower(text::trim(content_type.substr(0, content_type.find(';'))));
    return type.ends_with("ndjson") || type.ends_with("jsonl") || type.ends_with("jsonlines");
}

bool looks_like_ndjson(std::string_view first_line) {
    if (!first_line.ends_with('\n')) return false;
    boost::system::error_code error;
    const json::value parsed = json::parse(text::trim(first_line), error);
    return !error && parsed.is_object();
}

PublishedLines publish_lines(LineSource& source, const HttpServer& server, const std::string& target,
                             const std::vector<std::string>& headers, const Console& console, const std::string& name) {
    PublishedLines published;
    HttpRequest request{.method = "POST", .target = target, .content_type = "application/x-ndjson"};
    request.headers = headers;
    request.source.descriptor = source.descriptor();
    request.source.read = [&source](char* room, std::size_t bytes) { return source.read(room, bytes); };
    ReplyLines lines(console, name, published);
    HttpWatch watch;
    watch.head = [&](const HttpReply&) {
        source.forget();
        return server.silence_max;
    };
    watch.piece = [&lines](std::string_view bytes) { return lines.take(bytes); };
    for (int starts = 1;; ++starts) {
        const auto reply = send(server, request, watch);
        if (!reply) {
            console.error(reply.error().message, {{"about", name}});
            return published;
        }
        const bool is_busy = reply->status == status_busy && reply->retry_after_seconds &&
                             *reply->retry_after_seconds <= start_wait_seconds_max;
        if (is_busy && starts < starts_max && source.rewind()) {
            console.note("the broker is busy; trying again in " + std::to_string(*reply->retry_after_seconds) + " s");
            std::this_thread::sleep_for(std::chrono::seconds(*reply->retry_after_seconds));
            continue;
        }
        if (reply->status != status_ok)
            report_problem(console, *reply, name);
        else if (!published.summary)
            console.error(server.url + " ended the reply before it said what became of all documents",
                          {{"about", name}});
        else if (!source.failure().empty())
            console.error("can't read " + name + " to its end: " + source.failure(), {{"about", name}});
        return published;
    }
}

}  // namespace sluice::cli
