// Reports failed checks (gpu/check/check.hpp) in the log, instead of on standard error, which might block.
#pragma once

namespace sluice::base {

// From now on.
void log_failed_checks() noexcept;

}  // namespace sluice::base
