#include "broker/base/version.hpp"

namespace sluice {

std::string_view version() { return SLUICE_VERSION; }

}  // namespace sluice
