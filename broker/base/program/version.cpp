#include "broker/base/program/version.hpp"

namespace sluice::base {

std::string_view version() { return SLUICE_VERSION; }

}  // namespace sluice::base
