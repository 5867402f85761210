#include <chrono>
#include <set>
#include <thread>

#include "gpu/device/keep_device.hpp"
#include "gpu/operators/alignment/cuda/two_way_aligner.hpp"
#include "gpu/operators/alignment/cuda/wavefront_aligner.hpp"
#include "gpu/operators/alignment/dispatch.hpp"
#include "gpu/tools/align/multi_device_aligner.hpp"
#include "gpu/tools/align/pair.hpp"

namespace sluice::alignment {

namespace {

void score_on_devices(const Scheme& scheme, const SequencePair& pair, const PairOptions& options, PairResult& result) {
    MultiDeviceAligner devices(scheme, options.devices);
    devices.prepare(options.mode, pair, options.prune);
    const auto begin = std::chrono::steady_clock::now();
    devices.enqueue();
    result.end = devices.finish(options.progress);
    result.score_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    result.gpus = std::set(options.devices.begin(), options.devices.end()).size();
    result.pruned_share = devices.statistics().pruned_share();
}

}  // namespace

void score_pair_on_device(const Scheme& scheme, Codes query, Codes text, const PairOptions& options,
                          PairResult& result) {
    if (query.empty() || text.empty()) {
        result.end = reference_align(scheme, options.mode, query, text);
        return;
    }
    try {
        require_devices(options.devices);
        const cuda::KeepDevice keep;
        cuda::check(cudaSetDevice(options.devices.front()), "cudaSetDevice");
        const SequencePair pair{query, text};
        const Spread spread = spread_of(text, 1, options.devices.size(), [&] {
            return TwoWayAligner::available() && TwoWayAligner::fits(scheme, options.mode, query, text);
        });
        if (spread == Spread::slices) return score_on_devices(scheme, pair, options, result);
        const cuda::Stream stream;
        if (spread == Spread::clusters) {
            TwoWayAligner device(scheme);
            device.prepare(std::span(&pair, 1));
            const auto begin = std::chrono::steady_clock::now();
            device.enqueue(stream);
            result.end = device.finish(stream).front();  // includes the part of the work done on a core
            result.score_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        } else {
            const cuda::Event begin(cudaEventDefault), finished(cudaEventDefault);
            WavefrontAligner device(scheme);
            device.prepare(options.mode, std::span(&pair, 1), options.prune);
            begin.record(stream);
            device.enqueue(stream);
            finished.record(stream);
            while (options.progress && cudaEventQuery(finished) == cudaErrorNotReady) {
                options.progress(device.progress());
                std::this_thread::sleep_for(std::chrono::milliseconds(20));
            }
            cudaGetLastError();  // clears "not ready", which counts as an error; finish() reports the kernel's errors
            result.end = device.finish(stream).front();
            result.pruned_share = device.statistics().pruned_share();
            float milliseconds = 0;
            cuda::check(cudaEventElapsedTime(&milliseconds, begin, finished), "cudaEventElapsedTime");
            result.score_seconds = milliseconds / 1000.0;
        }
    } catch (const std::runtime_error& error) {  // cuda::CudaError, DeviceError
        result.error = error.what();
    }
}

}  // namespace sluice::alignment
