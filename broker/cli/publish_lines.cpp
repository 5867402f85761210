#include "broker/cli/publish_lines.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <cstddef>
#include <utility>

#include "broker/cli/client/members.hpp"
#include "broker/cli/client/patience.hpp"
#include "broker/cli/client/problem.hpp"
#include "broker/cli/common/interrupt.hpp"
#include "broker/cli/sent_lines.hpp"
#include "broker/cli/single_lines.hpp"
#include "protocol/text/ascii.hpp"

namespace sluice::cli {

namespace json = boost::json;

namespace {

constexpr std::size_t reply_line_bytes_max = 16u << 20;
constexpr unsigned status_ok = 200, status_line_accepted = 202;

json::object object_of(std::string_view text) {
    boost::system::error_code error;
    json::value parsed = json::parse(text, error);
    return error || !parsed.is_object() ? json::object() : std::move(parsed.get_object());
}

// Whether a refusal is of one document, rather than of whatever its sender would send.
bool is_of_document(const HttpReply& reply) {
    constexpr unsigned bad_request = 400, conflict = 409, too_large = 413, bad_type = 415, bad_content = 422;
    switch (reply.status) {
        case bad_request:  // the parameters would be to blame otherwise
            return text_in(object_of(reply.body), "type").starts_with("urn:sluice:problem:");
        case conflict:
        case too_large:
        case bad_type:
        case bad_content:
            return true;
        default:
            return is_refused_for_now(reply.status);
    }
}

class LinePublisher {
public:
    LinePublisher(LineSource& source, const HttpServer& server, const LineRequests& requests, const Console& console,
                  const std::string& name)
        : source_(source),
          lines_(source, Interrupt::requested),
          server_(server),
          requests_(requests),
          console_(console),
          name_(name) {}

    PublishedLines run() {
        if (const auto line = lines_.take_only_line())
            publish_one(*line);
        else
            publish_all();
        return std::move(published_);
    }

private:
    void publish_one(const SentLine& line);
    void publish_all();
    HttpRequest stream_request();
    bool take(std::string_view bytes);
    bool take_reply_line(std::string_view text);
    void publish_again();
    boost::system::result<HttpReply, HttpError> send_alone(const SentLine& line) const;
    void take_reply(const SentLine& line, const HttpReply& reply);
    void refuse(const SentLine& line, const HttpReply& reply);
    void note_refused_items(const SentLine& line, const json::object& reply);
    std::string unanswered() const;
    void conclude(const HttpReply& reply);
    void report(const std::string& text) const { console_.error(text, {{"about", name_}}); }
    void tell(const std::string& text) const { console_.note(text, {{"about", name_}}); }

    LineSource& source_;
    SentLines lines_;
    const HttpServer& server_;
    const LineRequests& requests_;
    const Console& console_;
    const std::string& name_;
    PublishedLines published_{};
    SingleLines single_lines_;
    std::string reply_text_;  // of the stream, from the beginning of a line
};

void LinePublisher::publish_one(const SentLine& line) {
    const auto reply = send_alone(line);
    if (!reply) return report(name_ + ": " + reply.error().message);
    const bool is_accepted = reply->status == status_line_accepted;
    if (!is_accepted && !is_of_document(*reply)) return report_problem(console_, *reply, name_);
    take_reply(line, *reply);
    published_.summary = summary_of_one(is_accepted ? object_of(reply->body) : json::object());
    single_lines_.add_to(*published_.summary);
    published_.is_complete = true;
}

void LinePublisher::publish_all() {
    const HttpRequest request = stream_request();
    HttpWatch watch;
    watch.piece = [this](std::string_view bytes) { return take(bytes); };
    for (int tries = 1;; ++tries) {
        const auto reply = send(server_, request, watch);
        publish_again();
        if (!reply) return report(name_ + ": " + reply.error().message + unanswered());
        const auto seconds = seconds_to_retry(*reply);
        const auto note = [this](const std::string& text) { tell(text); };
        if (!seconds || tries == tries_max || !wait_to_retry(*reply, *seconds, note)) return conclude(*reply);
        lines_.begin_again();
    }
}

HttpRequest LinePublisher::stream_request() {
    HttpRequest request{.method = "POST", .target = requests_.stream_target, .content_type = "application/x-ndjson"};
    request.headers = requests_.headers;
    request.source.read = [this](char* room, std::size_t bytes) {
        if (!lines_.is_within_line()) publish_again();
        return lines_.read(room, bytes);
    };
    request.source.is_ready = [this] { return lines_.is_ready(); };
    request.source.descriptor = [this] { return lines_.descriptor(); };
    return request;
}

// Of the reply to the stream: a line for each document, then the summary. Returns false if nothing more is to come.
bool LinePublisher::take(std::string_view bytes) {
    reply_text_.append(bytes);
    std::size_t begin = 0;
    for (std::size_t end; (end = reply_text_.find('\n', begin)) != std::string::npos; begin = end + 1)
        if (!take_reply_line(std::string_view(reply_text_).substr(begin, end - begin))) return false;
    reply_text_.erase(0, begin);
    return reply_text_.size() <= reply_line_bytes_max;
}

bool LinePublisher::take_reply_line(std::string_view text) {
    json::object told = object_of(text);
    HttpReply reply;
    reply.status = static_cast<unsigned>(number_in(told, "status"));  // of a problem
    reply.body = text;
    if (told.empty()) return false;
    if (!told.contains("number")) {
        published_.is_complete = reply.status == 0;
        if (reply.status != 0) report_problem(console_, reply, name_);
        published_.summary = std::move(told);
        return false;
    }
    auto line = lines_.take_answered(number_in(told, "number"));
    if (!line) return false;
    if (reply.status == 0)
        note_refused_items(*line, told);
    else if (is_refused_for_now(reply.status))
        lines_.keep_refused(std::move(*line));
    else
        refuse(*line, reply);
    return true;
}

// What the broker had no room for. Called where it does not wait for the rest of a line.
void LinePublisher::publish_again() {
    std::string lost;  // why the broker can't be reached
    while (const auto line = lines_.take_refused()) {
        if (lost.empty()) {
            const auto reply = send_alone(*line);
            if (reply) {
                take_reply(*line, *reply);
                continue;
            }
            lost = reply.error().message;
        }
        ++published_.refused;
        console_.error(name_ + ":" + std::to_string(line->line) + ": the broker had no room for it, and then: " + lost,
                       {{"about", name_}, {"number", line->number}, {"line", line->line}});
    }
}

boost::system::result<HttpReply, HttpError> LinePublisher::send_alone(const SentLine& line) const {
    HttpRequest request{.method = "POST", .target = requests_.line_target, .content_type = requests_.line_type};
    request.headers = requests_.headers;
    request.body = line.text;
    return send_document(server_, std::move(request), {}, [this](const std::string& text) { tell(text); });
}

// To a line that was sent by itself.
void LinePublisher::take_reply(const SentLine& line, const HttpReply& reply) {
    if (reply.status != status_line_accepted) return refuse(line, reply);
    const json::object told = object_of(reply.body);
    single_lines_.accept(line.number, told);
    note_refused_items(line, told);
}

// The line is that of the source, whatever the document was sent in.
void LinePublisher::refuse(const SentLine& line, const HttpReply& reply) {
    ++published_.refused;
    json::object told = object_of(reply.body);
    if (told.empty()) return report_problem(console_, reply, name_ + ":" + std::to_string(line.line));
    told["number"] = line.number;
    told["line"] = line.line;
    HttpReply problem = reply;
    problem.body = json::serialize(told);
    report_problem(console_, problem, name_);
}

void LinePublisher::note_refused_items(const SentLine& line, const json::object& reply) {
    if (!published_.refused_item.empty() || number_in(reply, "refused") == 0) return;
    published_.refused_item = "line " + std::to_string(line.line);
    const auto refusals = objects_in(reply, "refusals");
    if (!refusals.empty()) published_.refused_item += ": " + text_in(refusals.front(), "reason");
}

// "; whether line 7 and later ones were published is not known", or "".
std::string LinePublisher::unanswered() const {
    const SentLine* first = lines_.first_unanswered();
    if (first == nullptr) return "";
    return "; whether line " + std::to_string(first->line) + " and later ones were published is not known";
}

void LinePublisher::conclude(const HttpReply& reply) {
    if (published_.summary) single_lines_.add_to(*published_.summary);
    if (reply.status != status_ok)
        report_problem(console_, reply, name_);
    else if (!published_.summary)
        report(name_ + ": " + server_.url + " ended the reply before it said what became of all documents" +
               unanswered());
    else if (!source_.failure().empty())
        report("can't read " + name_ + " to its end: " + source_.failure() +
               std::string(source_.is_too_large() ? no_broker_takes : ""));
}

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

PublishedLines publish_lines(LineSource& source, const HttpServer& server, const LineRequests& requests,
                             const Console& console, const std::string& name) {
    return LinePublisher(source, server, requests, console, name).run();
}

}  // namespace sluice::cli
