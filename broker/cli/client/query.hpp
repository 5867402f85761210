// A request to the broker whose reply is a JSON object.
#pragma once

#include <boost/json/object.hpp>
#include <cstddef>
#include <optional>
#include <string>

#include "broker/cli/client/http_client.hpp"
#include "broker/cli/common/console.hpp"

namespace sluice::cli {

// Reports everything else than a success: no connection, a refusal (of what is called `name`), and a reply that no
// Sluice broker sends. A reply without a body is an empty object. With `may_be_missing`, 404 is not reported.
struct Answer {
    bool is_ok = false, is_missing = false;
    boost::json::object body;
    std::size_t bytes = 0;  // of the body as it came
};
Answer ask(const HttpServer& server, const HttpRequest& request, const std::string& name, const Console& console,
           bool may_be_missing = false);

}  // namespace sluice::cli
