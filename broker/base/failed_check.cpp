#include "broker/base/failed_check.hpp"

#include <chrono>
#include <exception>
#include <string>

#include "broker/base/log.hpp"
#include "gpu/check/check.hpp"

namespace sluice::base {

namespace {

constexpr std::chrono::seconds failed_check_patience{1};

void log_failed_check(const char* condition, const char* file, int line) noexcept {
    try {
        const std::string place = std::string(file) + ':' + std::to_string(line);
        log_error("a check failed, a fault of the broker; the process aborts",
                  {{"condition", condition}, {"place", place}});
    } catch (const std::exception&) {
        log_error("a check failed, a fault of the broker; the process aborts", {{"condition", condition}});
    }
    flush_log(failed_check_patience);
}

}  // namespace

void log_failed_checks() noexcept { checks::reporter = &log_failed_check; }

}  // namespace sluice::base
