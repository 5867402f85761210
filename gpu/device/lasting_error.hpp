// Errors after which every further call in the process's context on the device fails. Pure function.
#pragma once

#include <cuda_runtime_api.h>

namespace sluice::cuda {

inline bool is_lasting(cudaError_t code) {
    switch (code) {
        case cudaErrorIllegalAddress:
        case cudaErrorLaunchFailure:
        case cudaErrorLaunchTimeout:
        case cudaErrorAssert:
        case cudaErrorHardwareStackError:
        case cudaErrorIllegalInstruction:
        case cudaErrorMisalignedAddress:
        case cudaErrorInvalidAddressSpace:
        case cudaErrorInvalidPc:
        case cudaErrorECCUncorrectable:
        case cudaErrorNvlinkUncorrectable:
        case cudaErrorContained:
        case cudaErrorDevicesUnavailable:
        case cudaErrorExternalDevice:
        case cudaErrorMpsClientTerminated:
            return true;
        default:
            return false;
    }
}

}  // namespace sluice::cuda
