// Names a log for as long as it keeps its events and ids: EventLog::epoch(). Any thread.
#pragma once

#include <string>

namespace sluice::store {

// 11 letters and digits, which differ from those of all other logs.
std::string random_epoch();

}  // namespace sluice::store
