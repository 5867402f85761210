#include <chrono>
#include <set>
#include <thread>

#include "gpu/cuda/keep_device.hpp"
#include "gpu/operators/alignment/device_long.hpp"
#include "gpu/operators/alignment/device_middle.hpp"
#include "gpu/operators/alignment/device_slices.hpp"
#include "gpu/operators/alignment/pair.hpp"

namespace sluice::alignment {

namespace {

// Below this one device holds all of the columns at once, and a second one would do nothing sooner.
constexpr std::size_t shared_columns_min = 100'000;

void score_on_devices(const Scheme& scheme, const LongPair& pair, const PairOptions& options, PairResult& result) {
    DeviceSlices devices(scheme, options.devices);
    devices.prepare(options.mode, pair, options.prune);
    const auto begin = std::chrono::steady_clock::now();
    devices.enqueue();
    result.end = devices.finish(options.progress);
    result.score_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    result.gpus = std::set(options.devices.begin(), options.devices.end()).size();
    result.pruned_share = devices.statistics().pruned_share();
}

}  // namespace

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
        require_devices(options.devices);
        const cuda::KeepDevice keep;
        cuda::check(cudaSetDevice(options.devices.front()), "cudaSetDevice");
        const LongPair pair{query, text};
        if (options.devices.size() > 1 && text.size() >= shared_columns_min)
            return score_on_devices(scheme, pair, options, result);
        const cuda::Stream stream;
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
    } catch (const std::runtime_error& error) {  // cuda::CudaError, DeviceError
        result.error = error.what();
    }
}

}  // namespace sluice::alignment
