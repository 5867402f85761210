// Why an append to the log failed.
#pragma once

#include <cstdint>

namespace sluice::store {

enum class AppendError : std::uint8_t {
    no_memory,  // nothing was appended, and the log is intact
    no_space,   // the same, but on the disk
    unknown,    // whether the events were stored; the log refuses all appends until it has recovered
};

}  // namespace sluice::store
