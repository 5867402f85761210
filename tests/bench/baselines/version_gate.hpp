// Orders the writes to a live device structure against the kernels that read it, so that each batch sees exactly one
// version: a write waits for the batches enqueued before it, and batches enqueued after it wait for the write. The host
// never waits. All calls must come from one thread at a time, outside of stream capture (around the launch of a graph,
// not in it).
#pragma once

#include <cstddef>
#include <vector>

#include "gpu/device/device.hpp"

namespace sluice::bench {

class VersionGate {
public:
    explicit VersionGate(std::size_t readers) : reads_(readers), reading_(readers, false) {}

    // Enclose the work that reader `i` enqueues into its stream for one batch.
    void begin_read(cudaStream_t stream) const { wait(stream, write_, written_); }
    void end_read(std::size_t i, cudaStream_t stream) {
        reads_[i].record(stream);
        reading_[i] = true;
    }

    // Enclose the work that the writer enqueues.
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
    static void wait(cudaStream_t stream, const cuda::Event& event, bool recorded) {
        if (recorded) cuda::check(cudaStreamWaitEvent(stream, event, 0), "cudaStreamWaitEvent");
    }

    cuda::Event write_;
    bool written_ = false;
    std::vector<cuda::Event> reads_;
    std::vector<bool> reading_;
};

}  // namespace sluice::bench
