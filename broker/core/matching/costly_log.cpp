#include "broker/core/matching/costly_log.hpp"

#include <cstddef>

#include "broker/base/log.hpp"
#include "protocol/text/utf8.hpp"

namespace sluice::broker {

namespace {

void log_condition(std::string_view condition) {
    constexpr std::size_t condition_bytes_max = 200;
    base::log_debug("costly condition", {{"condition", text::shortened_utf8(condition, condition_bytes_max)}});
}

}  // namespace

void warn_of_budget(std::string_view condition) {
    base::log_warn(
        "a condition exceeds its budget, its subscribers get gaps; costly_conditions in /v1/status names it");
    log_condition(condition);
}

void warn_of_slowness(std::string_view condition, std::chrono::steady_clock::duration took) {
    base::log_warn("a condition takes long; costly_conditions in /v1/status names it",
                   {{"milliseconds", std::chrono::duration_cast<std::chrono::milliseconds>(took).count()}});
    log_condition(condition);
}

}  // namespace sluice::broker
