// Gives a device a new context after an error that has corrupted the old one (context.hpp). Any thread.
#pragma once

namespace sluice::cuda {

// Makes the device usable: does nothing if it already is, else gives it a new context. Throws CudaError if residents
// remain in the old one or abandoned work still runs there, if the driver refuses a new one, or if the device still
// fails. One renewal at a time.
void renew_context(int device);

}  // namespace sluice::cuda
