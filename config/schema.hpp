// Which options there are, their types and what values they may have. Called by load.cpp for each source in turn.
#pragma once

#include "config/section.hpp"

namespace sluice {

void read_options(Section& root, Options& options);

}  // namespace sluice
