// What a broker has no room for now is sent again, after the time that it names; a document also when its connection is
// lost. Belongs to one thread.
#pragma once

#include <boost/system/result.hpp>
#include <functional>
#include <optional>
#include <string>

#include "broker/cli/client/http_client.hpp"

namespace sluice::cli {

constexpr int tries_max = 10;  // of a request

// Whether a refusal is due to what others have sent, not to what is refused: a limit of the address, of the broker, or
// of its disk.
bool is_refused_for_now(unsigned status);

// In how many seconds to send the request again. None: it is not refused, or for good, or for longer than by a broker
// that is merely busy.
std::optional<unsigned> seconds_to_retry(const HttpReply& reply);

// Tells why, and waits. Returns false if an Interrupt asks the work to stop.
bool wait_to_retry(const HttpReply& reply, unsigned seconds, const std::function<void(const std::string&)>& tell);

// Sends a document to POST /v1/events, as send() does but up to ten times. An Idempotency-Key of its own lets the
// broker publish it once however often it comes, so that it is sent again after its connection was lost, too: up to
// five times more, until the server's silence_max has passed. `tell` gets a line for a note before each wait.
boost::system::result<HttpReply, HttpError> send_document(const HttpServer& server, HttpRequest request,
                                                          const HttpWatch& watch,
                                                          const std::function<void(const std::string&)>& tell);

}  // namespace sluice::cli
