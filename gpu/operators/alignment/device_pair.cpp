#include <chrono>
#include <thread>

#include "gpu/operators/alignment/device_long.hpp"
#include "gpu/operators/alignment/device_middle.hpp"
#include "gpu/operators/alignment/pair.hpp"

namespace sluice::alignment {

bool pair_device_available() { return cuda::device_count() > 0; }

void score_pair_on_device(const Scheme& scheme, Codes query, Codes text, const PairOptions& options,
                          PairResult& result) {
    if (!pair_device_available()) {
        result.error = "there is no GPU that CUDA can use";
        return;
    }
    if (query.empty() || text.empty()) {
        result.end = reference_align(scheme, options.mode, query, text);
        return;
    }
    try {
        const cuda::Stream stream;
        const LongPair pair{query, text};
        if (DeviceMiddle::available() && DeviceMiddle::fits(scheme, options.mode, query, text)) {
            DeviceMiddle device(scheme);
            device.prepare(std::span(&pair, 1));
            const auto begin = std::chrono::steady_clock::now();
            device.enqueue(stream);
            result.end = device.finish(stream).front();  // a core has its part in it
            result.score_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        } else {
            const cuda::Event begin(cudaEventDefault), finished(cudaEventDefault);
            DeviceLong device(scheme);
            device.prepare(options.mode, std::span(&pair, 1), options.prune);
            begin.record(stream);
            device.enqueue(stream);
            finished.record(stream);
            while (options.progress && cudaEventQuery(finished) == cudaErrorNotReady) {
                options.progress(device.progress());
                std::this_thread::sleep_for(std::chrono::milliseconds(20));
            }
            cudaGetLastError();  // "not ready" counts as one; what went wrong with the kernel, finish() says
            result.end = device.finish(stream).front();
            result.pruned_share = device.statistics().pruned_share();
            float milliseconds = 0;
            cuda::check(cudaEventElapsedTime(&milliseconds, begin, finished), "cudaEventElapsedTime");
            result.score_seconds = milliseconds / 1000.0;
        }
    } catch (const cuda::CudaError& error) {
        result.error = error.what();
    }
}

}  // namespace sluice::alignment
