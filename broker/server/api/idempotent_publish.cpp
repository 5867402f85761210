#include "broker/server/api/idempotent_publish.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "broker/server/api/problems.hpp"
#include "broker/server/api/publish_reply.hpp"
#include "broker/server/http/busy_problems.hpp"
#include "broker/store/event_log.hpp"
#include "protocol/text/ascii.hpp"

namespace sluice::server {

namespace {

constexpr const char* key_field = "Idempotency-Key";

HttpReply bad_key(const std::string& reason) { return status_reply(400, "the Idempotency-Key " + reason); }

HttpReply mismatch() {
    return status_reply(422, "this Idempotency-Key belongs to another request: each document needs its own");
}

bool is_printable(char c) { return c > ' ' && c <= '~'; }

// Clients' keys have nothing to do with each other, nor those of streams.
std::string scope_of_key(const HttpRequest& request, const std::string& stream) {
    const Principal& client = *request.principal;
    return stream + '\n' + (client.user.empty() ? "address " + client.address.to_string() : "user " + client.user);
}

bool decides(std::string_view name) {
    return name == "content-type" || name == "content-encoding" || name.starts_with("ce-");
}

}  // namespace

bool has_idempotency_key(const HttpRequest& request) {
    return request.headers->find(key_field) != request.headers->end();
}

std::variant<std::string, HttpReply> read_idempotency_key(const HttpRequest& request) {
    const auto fields = request.headers->equal_range(key_field);
    if (std::next(fields.first) != fields.second) return bad_key("is given twice");
    std::string_view key = text::trim(std::string_view(fields.first->value()));
    if (key.size() >= 2 && key.front() == '"' && key.back() == '"') key = key.substr(1, key.size() - 2);
    if (key.empty()) return bad_key("is empty");
    if (key.size() > idempotency_key_bytes_max)
        return bad_key("has more than " + std::to_string(idempotency_key_bytes_max) + " characters");
    if (!std::all_of(key.begin(), key.end(), is_printable))
        return bad_key("has printable ASCII characters only, and no spaces");
    return std::string(key);
}

text::Digest request_digest(const HttpRequest& request) {
    std::string all;
    const auto add = [&](std::string_view name, std::string_view value) {
        all.append(name).append("=").append(value) += '\n';
    };
    for (const auto& [name, value] : request.query) add(name, value);
    for (const auto& field : *request.headers) {
        const std::string name = text::ascii_lower(std::string_view(field.name_string()));
        if (decides(name)) add(name, std::string_view(field.value()));
    }
    const text::Digest body = text::digest(request.body);
    all.append(reinterpret_cast<const char*>(body.data()), sizeof body);
    return text::digest(all);
}

text::Digest attempt_id(const HttpRequest& request, const std::string& stream, const std::string& key) {
    return text::digest(scope_of_key(request, stream) + '\n', key);
}

std::variant<broker::IdempotencyKeys::Claim, HttpReply> claim_key(Services& services, const HttpRequest& request,
                                                                  const std::string& stream, const std::string& key,
                                                                  const text::Digest& digest) {
    using State = broker::IdempotencyKeys::State;
    auto answer = services.idempotency_keys->begin(scope_of_key(request, stream), key, digest);
    HttpReply reply;
    switch (answer.state) {
        case State::begun:
            return std::move(answer.claim);
        case State::replayed:
            reply.status = 202;
            reply.body = std::move(answer.reply);
            return reply;
        case State::in_progress:
            reply = status_reply(409, "the first request with this Idempotency-Key is still in progress");
            reply.headers.emplace_back("Retry-After", "1");
            return reply;
        case State::mismatch:
            return mismatch();
        case State::no_memory:
            break;
    }
    return memory_problem(broker::MemoryShortage::temporary);
}

// A log that has failed does not know what it has.
std::optional<HttpReply> find_stored_reply(Services& services, const std::string& stream, const text::Digest& attempt,
                                           const text::Digest& digest) {
    if (services.log.state().condition == store::LogState::Condition::failed)
        return publish_problem(services.options, broker::PublishRefusal::unavailable);
    const auto found = services.log.durable_state()->find_reply(attempt);
    if (!found) return std::nullopt;
    return found->request == digest ? accepted_reply(stream, *found, services.log.durability()) : mismatch();
}

}  // namespace sluice::server
