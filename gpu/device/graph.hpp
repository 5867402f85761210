// Several kernels as one launch: the work that a function enqueues into a stream is recorded, and can be launched again
// and again for about the host cost of one kernel. Pointers and sizes stay as recorded. Belongs to one thread;
// move-only.
#pragma once

#include <cuda_runtime_api.h>
#include <utility>

#include "gpu/device/device.hpp"

namespace sluice::cuda {

class Graph {
public:
    Graph() = default;
    // Calls enqueue(), which must only enqueue work into this stream, or into streams that it forks from it and joins
    // again, and must not wait. Nothing is run. Throws CudaError.
    template <class Enqueue>
    Graph(cudaStream_t stream, Enqueue enqueue) : resident_(Resident::here()) {
        check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
        cudaGraph_t graph = nullptr;
        try {
            const RecordedTransfers recorded(transfers_);
            enqueue();
        } catch (...) {
            cudaStreamEndCapture(stream, &graph);
            destroy(graph);
            throw;
        }
        check(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
        const cudaError_t code = cudaGraphInstantiate(&executable_, graph, 0);
        destroy(graph);
        check(code, "cudaGraphInstantiate");
    }
    Graph(Graph&& other) noexcept
        : resident_(std::move(other.resident_)),
          executable_(std::exchange(other.executable_, nullptr)),
          transfers_(other.transfers_) {}
    Graph& operator=(Graph&& other) noexcept {
        std::swap(resident_, other.resident_);
        std::swap(executable_, other.executable_);
        std::swap(transfers_, other.transfers_);
        return *this;
    }
    ~Graph() {
        if (executable_ != nullptr) cudaGraphExecDestroy(executable_);
    }

    explicit operator bool() const { return executable_ != nullptr; }
    void launch(cudaStream_t stream) const {
        check(cudaGraphLaunch(executable_, stream), "cudaGraphLaunch");
        count_transfers(resident_.device(), transfers_);
    }

private:
    static void destroy(cudaGraph_t graph) {
        if (graph != nullptr) cudaGraphDestroy(graph);
    }

    Resident resident_;
    cudaGraphExec_t executable_ = nullptr;
    Transfers transfers_;  // of each launch
};

}  // namespace sluice::cuda
