// Prints the daemon's table of endpoints, a JSON object a line: its method, its path, and what its user must be
// permitted.
#include <iostream>
#include <stdexcept>

#include "broker/server/endpoints.hpp"

namespace {

using sluice::server::Needs;

const char* name_of(Needs needs) {
    switch (needs.what) {
        case Needs::nothing:
            return "nothing";
        case Needs::any_right:
            return "any_right";
        case Needs::publish:
            return "publish";
        case Needs::subscribe:
            return "subscribe";
        case Needs::subscriptions:
            return "subscriptions";
        case Needs::see_stream:
            return "see_stream";
        case Needs::manage_stream:
            return "manage_stream";
        case Needs::operate:
            return "operate";
    }
    throw std::logic_error("a right without a name");
}

}  // namespace

int main() {
    for (const auto& endpoint : sluice::server::endpoints()) {
        std::cout << R"({"method":")" << sluice::server::http::to_string(endpoint.method) << R"(","path":")"
                  << endpoint.path << R"(","needs":")" << name_of(endpoint.needs) << "\"}\n";
    }
}
