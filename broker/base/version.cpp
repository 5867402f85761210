#include "broker/base/version.hpp"

namespace sluice::base {

std::string_view version() { return SLUICE_VERSION; }

}  // namespace sluice::base
