// Orders the writes to a live device structure against the kernels that read it, so that each batch sees exactly one
// version: a write waits for the batches that were enqueued before it, and batches enqueued after it wait for the
// write. Nobody waits on the host. All calls from one thread at a time, outside of stream capture (around the launch of
// a graph, not in it).
#pragma once

#include <cstddef>
#include <vector>

#include "gpu/cuda/device.hpp"

namespace sluice::cuda {

class VersionGate {
public:
    explicit VersionGate(std::size_t readers) : reads_(readers), reading_(readers, false) {}

    // Around what reader `i` enqueues into its stream for one batch.
    void begin_read(cudaStream_t stream) const { wait(stream, write_, written_); }
    void end_read(std::size_t i, cudaStream_t stream) {
        reads_[i].record(stream);
        reading_[i] = true;
    }

    // Around what the writer enqueues.
    void begin_write(cudaStream_t stream) {
        wait(stream, write_, written_);
        for (std::size_t i = 0; i < reads_.size(); ++i) {
            wait(stream, reads_[i], reading_[i]);
            reading_[i] = false;
        }
    }
    void end_write(cudaStream_t stream) {
        write_.record(stream);
        written_ = true;
    }

private:
    static void wait(cudaStream_t stream, const Event& event, bool recorded) {
        if (recorded) check(cudaStreamWaitEvent(stream, event, 0), "cudaStreamWaitEvent");
    }

    Event write_;
    bool written_ = false;
    std::vector<Event> reads_;
    std::vector<bool> reading_;
};

}  // namespace sluice::cuda
