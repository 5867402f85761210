// Process settings to make before threads are started: descriptors and stacks. Called by main() alone, except for
// descriptor_limit().
#pragma once

#include <cstddef>

namespace sluice::base {

// Opens closed standard descriptors on /dev/null, so that no file opened later gets the number of one that all code
// writes to.
void open_standard_descriptors();

// Subscribers and publishers each take a file descriptor; the soft limit is often only 1,024.
void raise_descriptor_limit();
std::size_t descriptor_limit();

// Code that walks nested filters and documents is recursive. Threads created from now on have enough stack for it,
// whatever `ulimit -s` says. The main thread may not, so that code must not run there.
void set_thread_stacks();

}  // namespace sluice::base
