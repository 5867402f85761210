#include <algorithm>
#include <cmath>
#include <map>

#include "gpu/operators/edits/characters.hpp"
#include "gpu/operators/edits/parts.hpp"
#include "gpu/tools/distance/asm.hpp"
#include "gpu/tools/distance/asm_kernels.hpp"

namespace sluice::edits {

namespace {

constexpr std::uint32_t warp_rows = 32;
// A launch ends at this many cells, so that the caller can stop between launches.
constexpr std::uint64_t launch_cells_max = std::uint64_t{1} << 35;
constexpr std::size_t launch_tasks_max = std::size_t{1} << 20;

// Characters of all patterns or of all texts, one behind the other.
template <class Symbol>
struct Joined {
    std::vector<Symbol> symbols;
    std::vector<std::uint64_t> begin{0};

    explicit Joined(std::span<const std::string_view> all) {
        for (const std::string_view utf8 : all) {
            if constexpr (sizeof(Symbol) == 1) {
                symbols.insert(symbols.end(), utf8.begin(), utf8.end());
            } else {
                const std::u32string codes = characters(utf8);
                symbols.insert(symbols.end(), codes.begin(), codes.end());
            }
            begin.push_back(symbols.size());
        }
    }
    std::uint64_t length(std::size_t i) const { return begin[i + 1] - begin[i]; }
};

// The blocks that fill the device: with half of its threads for w-Shuffle with weights, whose profiles fill the shared
// memory; with all of them for the others.
std::uint64_t blocks_of_device(std::uint64_t strips, AsmAlgorithm algorithm, bool unit) {
    constexpr std::uint64_t threads_of_multiprocessor = 2048;
    int device = 0, multiprocessors = 0;
    cuda::check(cudaGetDevice(&device), "cudaGetDevice");
    cuda::check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device), "multiprocessors");
    const std::uint64_t threads = threads_of_multiprocessor / (algorithm == AsmAlgorithm::w_shuffle && !unit ? 2 : 1);
    return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(multiprocessors) * threads / (strips * warp_rows));
}

template <class Symbol>
class DeviceCall {
public:
    DeviceCall(std::span<const std::string_view> patterns, std::span<const std::string_view> texts, const Costs& costs,
               const AsmOptions& options, AsmResult& result)
        : xs_(patterns),
          ys_(texts),
          costs_(costs),
          options_(options),
          result_(result),
          device_xs_(cuda::to_device(std::span<const Symbol>(xs_.symbols))),
          device_ys_(cuda::to_device(std::span<const Symbol>(ys_.symbols))),
          device_costs_(costs),
          device_results_(patterns.size() * texts.size()),
          patterns_(patterns.size()),
          texts_(texts.size()) {
        all_cells_ = static_cast<double>(xs_.symbols.size()) * static_cast<double>(ys_.symbols.size());
    }

    void run(std::span<std::uint32_t> distances) {
        cuda::check(cudaMemsetAsync(device_results_.data(), 0xFF, device_results_.bytes(), stream_), "memset");
        std::map<std::uint64_t, std::vector<std::uint32_t>> by_strips;  // a launch's patterns share a size of blocks
        for (std::uint32_t p = 0; p < patterns_; ++p)
            by_strips[(xs_.length(p) + warp_rows - 1) / warp_rows].push_back(p);
        for (const auto& [strips, ids] : by_strips) {
            if (strips > 0) run_size(strips, ids);
            if (result_.stopped) return;
        }
        cuda::copy_to_host(distances, device_results_.data(), stream_);
        stream_.wait();
        for (const std::uint32_t p : by_strips[0]) {
            for (std::size_t t = 0; t < texts_; ++t) distances[t * patterns_ + p] = 0;  // the pattern is empty
        }
    }

private:
    void run_size(std::uint64_t strips, std::span<const std::uint32_t> ids) {
        blocks_ = blocks_of_device(strips, options_.algorithm, costs_.unit());
        const std::uint64_t rows = strips * warp_rows, overlap = costs_.longest_substring(rows);
        const double of_size =
            static_cast<double>(rows * ids.size()) * static_cast<double>(std::max<std::size_t>(1, ys_.symbols.size()));
        const double of_launch = std::min(of_size, static_cast<double>(launch_cells_max));
        for (std::size_t t = 0; t < texts_; ++t) {
            const std::uint64_t n = ys_.length(t);
            std::uint64_t wanted = options_.parts;
            if (wanted == 0) {
                const double share = static_cast<double>(rows) * static_cast<double>(n) / of_launch;
                const auto fill = static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(blocks_)));
                // Shorter parts would be overlap for the most part.
                wanted = std::clamp<std::uint64_t>(n / (2 * overlap), 1, std::max<std::uint64_t>(1, fill));
            }
            for (const std::uint32_t p : ids) {
                add_pair(t, p, wanted);
                if (result_.stopped) return;
            }
        }
        launch();
    }

    void add_pair(std::size_t t, std::uint32_t p, std::uint64_t wanted_parts) {
        const auto m = static_cast<std::uint32_t>(xs_.length(p));
        const auto parts = cut_text(ys_.length(t), costs_.longest_substring(m), wanted_parts);
        result_.parts = std::max<std::uint64_t>(result_.parts, parts.size());
        for (const Part& part : parts) {
            tasks_.push_back({xs_.begin[p], ys_.begin[t] + part.begin, m, static_cast<std::uint32_t>(part.length),
                              static_cast<std::uint32_t>(t * patterns_ + p)});
            cells_ += std::uint64_t{m} * part.length;
            // With fewer blocks, most of the device would be idle.
            const bool enough = cells_ >= launch_cells_max && tasks_.size() >= blocks_;
            if (enough || tasks_.size() == launch_tasks_max) launch();
            if (result_.stopped) return;
        }
    }

    void launch() {
        if (tasks_.empty()) return;
        const auto larger_m = [](const AsmTask& a, const AsmTask& b) { return a.m < b.m; };
        const auto larger_n = [](const AsmTask& a, const AsmTask& b) { return a.n < b.n; };
        const std::uint32_t m_max = std::ranges::max_element(tasks_, larger_m)->m;
        const std::uint32_t n_max = std::ranges::max_element(tasks_, larger_n)->n;
        if (!is_loaded_) load_kernel(m_max);
        device_tasks_.reserve(tasks_.size());
        cuda::copy_to_device(device_tasks_.data(), std::span<const AsmTask>(tasks_), stream_);
        begin_.record(stream_);
        enqueue_asm(options_.algorithm, std::span<const AsmTask>(device_tasks_.data(), tasks_.size()), m_max, n_max,
                    device_xs_.data(), device_ys_.data(), device_costs_, device_results_.data(), stream_);
        end_.record(stream_);
        stream_.wait();
        float milliseconds = 0;
        cuda::check(cudaEventElapsedTime(&milliseconds, begin_, end_), "cudaEventElapsedTime");
        result_.kernel_seconds += milliseconds / 1000.0;
        done_ += static_cast<double>(cells_);
        tasks_.clear();
        cells_ = 0;
        if (options_.watch && !options_.watch(std::min(1.0, done_ / std::max(1.0, all_cells_)))) result_.stopped = true;
    }

    // A kernel's code is loaded when it is first launched, which takes longer than many a search: here with a task of
    // no text, whose result is the cost of deleting the pattern.
    void load_kernel(std::uint32_t m_max) {
        is_loaded_ = true;
        AsmTask task = tasks_.front();
        task.n = 0;
        const auto on_device = cuda::to_device(std::span<const AsmTask>(&task, 1));
        enqueue_asm(options_.algorithm, std::span<const AsmTask>(on_device.data(), 1), m_max, 1, device_xs_.data(),
                    device_ys_.data(), device_costs_, device_results_.data(), stream_);
        stream_.wait();
    }

    const Joined<Symbol> xs_, ys_;
    const Costs& costs_;
    const AsmOptions& options_;
    AsmResult& result_;
    const cuda::DeviceBuffer<Symbol> device_xs_, device_ys_;
    const DeviceCosts device_costs_;
    const cuda::DeviceBuffer<std::uint32_t> device_results_;
    const std::size_t patterns_, texts_;
    const cuda::Stream stream_;
    const cuda::Event begin_{cudaEventDefault}, end_{cudaEventDefault};
    cuda::DeviceBuffer<AsmTask> device_tasks_;
    std::vector<AsmTask> tasks_;
    bool is_loaded_ = false;           // the kernel
    std::uint64_t blocks_ = 1;         // that fill the device
    std::uint64_t cells_ = 0;          // of tasks_
    double done_ = 0, all_cells_ = 0;  // the cells computed so far, and those of all pairs without overlaps
};

}  // namespace

AsmResult asm_distance_on_gpu(std::span<const std::string_view> patterns, std::span<const std::string_view> texts,
                              const Costs& costs, const AsmOptions& options, std::span<std::uint32_t> distances) {
    AsmResult result;
    if (patterns.empty() || texts.empty()) return result;
    try {
        if (std::ranges::all_of(patterns, is_ascii) && std::ranges::all_of(texts, is_ascii))
            DeviceCall<std::uint8_t>(patterns, texts, costs, options, result).run(distances);
        else
            DeviceCall<char32_t>(patterns, texts, costs, options, result).run(distances);
    } catch (const std::runtime_error& error) {  // cuda::CudaError
        result.error = error.what();
    }
    return result;
}

}  // namespace sluice::edits
