// The Idempotency-Key of a publication (draft-ietf-httpapi-idempotency-key-header): a retry gets the first reply again.
// Each call belongs to its request's thread.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "broker/core/ingest/idempotency.hpp"
#include "broker/server/api/services.hpp"
#include "broker/server/http/http_types.hpp"
#include "protocol/text/digest.hpp"

namespace sluice::server {

inline constexpr std::size_t idempotency_key_bytes_max = 255;

bool has_idempotency_key(const HttpRequest& request);

// The key that it has, without the quotes that the draft demands and few clients send; never "". Or the reply that
// refuses it.
std::variant<std::string, HttpReply> read_idempotency_key(const HttpRequest& request);

// A digest of everything that decides what becomes of the publication: its body, query and headers.
text::Digest request_digest(const HttpRequest& request);

// Names a client's publications to a stream with this key, whatever becomes of each.
text::Digest attempt_id(const HttpRequest& request, const std::string& stream, const std::string& key);

// The claim on the key; the first reply, if there is one; or the reply that refuses the request: 409 while the first
// request runs, 422 if that was another request, 503 without memory for the key.
std::variant<broker::IdempotencyKeys::Claim, HttpReply> claim_key(Services& services, const HttpRequest& request,
                                                                  const std::string& stream, const std::string& key,
                                                                  const text::Digest& digest);

// The first reply, if the log has kept it on disk; a reply that refuses the request: 422 if that was another one, 503
// if it is not known; or none. Waits for the disk.
std::optional<HttpReply> find_stored_reply(Services& services, const std::string& stream, const text::Digest& attempt,
                                           const text::Digest& digest);

}  // namespace sluice::server
