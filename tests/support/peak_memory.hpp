// How much a program takes of its heap at a time. Replaces operator new of the program that it is linked into, which
// has one thread.
#pragma once

#include <cstddef>

namespace sluice::testing {

struct PeakMemory {
    static void begin();
    // The most bytes that operator new had given out at a time since begin(), besides those it had given out then, by
    // what malloc says of their size.
    static std::size_t bytes();
};

}  // namespace sluice::testing
