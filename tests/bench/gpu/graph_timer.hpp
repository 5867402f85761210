// How this folder times device work: captured into a graph, replayed, median of many.
#pragma once

#include <algorithm>
#include <cuda_runtime_api.h>
#include <vector>

#include "gpu/device/device.hpp"

namespace sluice::bench {

// `enqueue(stream)` puts the work into a stream that is being captured. Each of `samples` times is the average of
// `replays` replays in a row, after a warm-up of as many. Returns the median, in microseconds.
template <class Enqueue>
double graph_microseconds(Enqueue enqueue, int replays = 20, int samples = 51) {
    const cuda::Stream stream;
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    cuda::check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
    enqueue(static_cast<cudaStream_t>(stream));
    cuda::check(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
    cuda::check(cudaGraphInstantiate(&executable, graph, 0), "cudaGraphInstantiate");
    const cuda::Event begin(cudaEventDefault), end(cudaEventDefault);
    std::vector<double> times;
    for (int sample = -1; sample < samples; ++sample) {
        begin.record(stream);
        for (int replay = 0; replay < replays; ++replay)
            cuda::check(cudaGraphLaunch(executable, stream), "cudaGraphLaunch");
        end.record(stream);
        stream.wait();
        float milliseconds = 0;
        cuda::check(cudaEventElapsedTime(&milliseconds, begin, end), "cudaEventElapsedTime");
        if (sample >= 0) times.push_back(1000.0 * milliseconds / replays);
    }
    cudaGraphExecDestroy(executable);
    cudaGraphDestroy(graph);
    std::nth_element(times.begin(), times.begin() + samples / 2, times.end());
    return times[static_cast<std::size_t>(samples / 2)];
}

}  // namespace sluice::bench
