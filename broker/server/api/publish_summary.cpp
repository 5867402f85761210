#include "broker/server/api/publish_summary.hpp"

#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <string_view>
#include <utility>

#include "broker/server/api/publish_reply.hpp"

namespace sluice::server {

namespace json = boost::json;

namespace {

json::object object_of(const HttpReply& reply) {
    boost::system::error_code error;
    json::value parsed = json::parse(reply.text(), error);
    return error || !parsed.is_object() ? json::object() : std::move(parsed.get_object());
}

// 0: there is no such member, or it is null.
std::uint64_t number_in(const json::object& object, std::string_view name) {
    const json::value* value = object.if_contains(name);
    return value != nullptr && value->is_number() ? value->to_number<std::uint64_t>() : 0;
}

// The problem that refuses a document, with its fault's place in the body.
json::object problem_in_body(const DocumentPlace& place, const HttpReply& reply) {
    json::object problem = object_of(reply);
    const std::uint64_t line = number_in(problem, "line");
    problem["line"] = place.line + (line == 0 ? 0 : line - 1);
    if (problem.contains("offset")) problem["offset"] = place.offset + number_in(problem, "offset");
    return problem;
}

json::object fault_of(const DocumentPlace& place, const HttpReply& reply) {
    const json::object problem = problem_in_body(place, reply);
    json::object fault{{"number", place.number}, {"line", problem.at("line")}};
    if (const json::value* column = problem.if_contains("column")) fault["column"] = *column;
    fault["status"] = reply.status;
    const json::value* reason = problem.if_contains("detail");
    if (reason == nullptr) reason = problem.if_contains("title");
    if (reason != nullptr) fault["reason"] = *reason;
    return fault;
}

bool is_accepted(const HttpReply& reply) { return reply.status < 300; }

}  // namespace

std::string document_line(const DocumentPlace& place, const HttpReply& reply) {
    const std::string number = "{\"number\":" + std::to_string(place.number);
    const std::string text =
        is_accepted(reply) ? std::string(reply.text()) : json::serialize(problem_in_body(place, reply));
    // Of an accepted document there may be no details.
    return text.starts_with('{') ? number + "," + text.substr(1) + "\n" : number + "}\n";
}

void PublishSummary::add(const DocumentPlace& place, const HttpReply& reply,
                         const std::optional<broker::PublishResult>& result, std::size_t items_refused) {
    if (!is_accepted(reply)) {
        ++refused_;
        if (faults_.size() < faults_max) faults_.push_back(fault_of(place, reply));
        return;
    }
    ++accepted_;
    if (result) return add_counts(*result, items_refused);
    const json::object told = object_of(reply);
    broker::PublishResult before;
    before.received = number_in(told, "received");
    before.added = number_in(told, "new");
    before.updated = number_in(told, "updated");
    before.unchanged = number_in(told, "unchanged");
    before.first_id = number_in(told, "first_id");
    before.last_id = number_in(told, "last_id");
    add_counts(before, number_in(told, "refused"));
}

void PublishSummary::add_counts(const broker::PublishResult& result, std::size_t items_refused) {
    counts_.received += result.received;
    counts_.added += result.added;
    counts_.updated += result.updated;
    counts_.unchanged += result.unchanged;
    items_refused_ += items_refused;
    if (result.first_id == 0) return;
    counts_.first_id = counts_.first_id == 0 ? result.first_id : std::min(counts_.first_id, result.first_id);
    counts_.last_id = std::max(counts_.last_id, result.last_id);
}

// Of its JSON, without the braces.
std::string PublishSummary::members(store::Durability durability) const {
    const auto id = [](std::uint64_t of) { return of == 0 ? json::value(nullptr) : json::value(of); };
    json::object summary{{"stream", stream_},
                         {"documents", documents()},
                         {"accepted", accepted_},
                         {"refused", refused_},
                         {"next_number", first_number_ + documents()},
                         {"received", counts_.received},
                         {"new", counts_.added},
                         {"updated", counts_.updated},
                         {"unchanged", counts_.unchanged},
                         {"first_id", id(counts_.first_id)},
                         {"last_id", id(counts_.last_id)},
                         {"stored", durability_name(durability)}};
    if (items_refused_ != 0) summary["items_refused"] = items_refused_;
    if (!faults_.empty()) summary["faults"] = faults_;
    const std::string text = json::serialize(summary);
    return text.substr(1, text.size() - 2);
}

HttpReply PublishSummary::reply(store::Durability durability) const {
    HttpReply reply;
    reply.status = 202;
    reply.body = "{" + members(durability) + "}";
    return reply;
}

HttpReply PublishSummary::reply(store::Durability durability, const HttpReply& refusal) const {
    HttpReply reply = refusal;
    std::string body(refusal.text());
    if (body.ends_with('}')) body.pop_back();
    reply.shared_body.reset();
    reply.body = std::move(body) + "," + members(durability) + "}";
    return reply;
}

}  // namespace sluice::server
