#include "gpu/tools/search/occurrences.hpp"

#include <algorithm>
#include <chrono>
#include <new>
#include <stdexcept>
#include <utility>

#include "gpu/simd/on_threads.hpp"
#include "gpu/tools/search/rabin_karp.hpp"

namespace sluice::substrings {

namespace {

constexpr double block_seconds = 0.05;        // after each block the caller may stop the search
constexpr double calibration_seconds = 1e-3;  // shorter measurements say little
constexpr std::size_t block_bytes_first = 256;
constexpr std::size_t sample_bytes = std::size_t{64} << 10;
constexpr std::size_t piece_bytes_per_thread = std::size_t{4} << 20;
constexpr std::size_t piece_bytes_min = std::size_t{16} << 20, piece_bytes_max = std::size_t{256} << 20;
constexpr std::size_t gpu_piece_bytes = std::size_t{128} << 20;

double seconds_since(std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

std::string cpu_refusal(std::span<const Pattern> patterns, Algorithm algorithm) {
    return algorithm == Algorithm::prefix_sums ? RabinKarp::refusal(patterns, {}) : refusal(patterns);
}

std::string gpu_refusal(std::span<const Pattern> patterns, Algorithm algorithm) {
    const std::string why = cuda::why_no_gpu();
    return why.empty() ? cuda_refusal(patterns, algorithm) : why;
}

}  // namespace

std::string cuda_refusal(std::span<const Pattern> patterns, Algorithm algorithm) {
    if (std::string reason = refusal(patterns); !reason.empty()) return reason;
    if (algorithm == Algorithm::filter || patterns.size() <= rabin_karp_patterns_max) return {};
    return "the number of patterns, " + std::to_string(patterns.size()) + ", is more than Rabin-Karp's limit of " +
           std::to_string(rabin_karp_patterns_max);
}

std::string OccurrenceSearch::refusal(std::span<const Pattern> patterns, const OccurrenceOptions& options) {
    if (options.processor != Processor::gpu) return cpu_refusal(patterns, options.algorithm);
    return gpu_refusal(patterns, options.algorithm);
}

OccurrenceSearch::OccurrenceSearch(std::span<const Pattern> patterns, const OccurrenceOptions& options)
    : options_(options),
      threads_(simd::thread_count(options.threads)),
      on_gpu_(options.processor == Processor::gpu ||
              (options.processor == Processor::automatic && options.text_bytes >= gpu_text_bytes_min &&
               gpu_refusal(patterns, options.algorithm).empty())) {
    texts_.reserve(patterns.size());
    for (const Pattern& pattern : patterns) {
        patterns_.push_back({texts_.emplace_back(pattern.text)});
        longest_ = std::max(longest_, pattern.text.size());
    }
}

OccurrenceSearch::~OccurrenceSearch() = default;

std::size_t OccurrenceSearch::piece_bytes() const {
    if (on_gpu_) return gpu_piece_bytes;
    return std::clamp(threads_ * piece_bytes_per_thread, piece_bytes_min, piece_bytes_max);
}

std::string OccurrenceSearch::search(std::string_view text, std::size_t begins, Wanted wanted,
                                     const std::function<bool(const OccurrenceBlock&)>& report) {
    try {
        if (!finder_) prepare(text);
        double seconds = 0, kernel_seconds = 0;
        for (std::size_t at = 0; at < begins;) {
            const std::size_t bytes = std::min(block_bytes_, begins - at);
            const auto begin = std::chrono::steady_clock::now();
            const bool fits = find(text.substr(at, bytes + overlap_bytes()), bytes, wanted);
            const double taken = seconds_since(begin);
            seconds += taken;
            kernel_seconds += found_.kernel_seconds;
            if (!fits) {
                block_bytes_ = std::max<std::size_t>(bytes / 2, 1);
                continue;
            }
            for (Occurrence& occurrence : found_.list) occurrence.position += static_cast<std::uint32_t>(at);
            if (bytes == block_bytes_) block_bytes_ = next_block(bytes, taken);
            if (!report({at, at + bytes, found_.list, found_.number, seconds, kernel_seconds})) return {};
            seconds = kernel_seconds = 0;
            at += bytes;
        }
        return {};
    } catch (const std::bad_alloc&) {
        return "not enough memory";
    } catch (const std::runtime_error& error) {  // cuda::CudaError; no more threads
        return error.what();
    }
}

// The size of the next block, such that it takes block_seconds, and that its list is far from its limit.
std::size_t OccurrenceSearch::next_block(std::size_t bytes, double seconds) const {
    constexpr double slowest = 0.25, fastest = 4;
    double factor = std::clamp(block_seconds / std::max(seconds, 1e-9), slowest, fastest);
    if (!found_.list.empty())
        factor = std::min(factor, static_cast<double>(occurrences_max) / 2 / static_cast<double>(found_.list.size()));
    return std::clamp<std::size_t>(static_cast<std::size_t>(static_cast<double>(bytes) * factor), 1, piece_bytes());
}

void OccurrenceSearch::prepare(std::string_view text) {
    if (on_gpu_) {
        try {
            if (const std::string why = cuda::why_no_gpu(); !why.empty()) throw std::runtime_error(why);
            if constexpr (cuda::is_built)
                finder_ = make_cuda_occurrence_finder(patterns_, options_.algorithm, text.substr(0, sample_bytes),
                                                      std::min(text.size(), gpu_piece_bytes + overlap_bytes()));
        } catch (const std::runtime_error& error) {
            use_cpu_instead(error.what());
        }
    }
    if (!finder_)
        finder_ = make_occurrence_finder(patterns_, options_.algorithm, threads_, text.substr(0, sample_bytes));
    calibrate(text);
}

// Searches a growing part of the text until that takes long enough to tell how fast the search is.
void OccurrenceSearch::calibrate(std::string_view text) {
    double seconds = 0;
    for (block_bytes_ = block_bytes_first;; block_bytes_ *= 4) {
        const std::string_view block = text.substr(0, block_bytes_ + overlap_bytes());
        const auto begin = std::chrono::steady_clock::now();
        find(block, std::min(block_bytes_, block.size()), Wanted::number);
        seconds = seconds_since(begin);
        if (seconds >= calibration_seconds || block_bytes_ >= std::min(text.size(), piece_bytes())) break;
    }
    const double bytes = static_cast<double>(block_bytes_) * block_seconds / std::max(seconds, 1e-9);
    block_bytes_ = static_cast<std::size_t>(
        std::clamp(bytes, static_cast<double>(block_bytes_first), static_cast<double>(piece_bytes())));
}

// Rethrows the error that is being handled unless the CPU may do a GPU's work.
void OccurrenceSearch::use_cpu_instead(const char* error) {
    if (!on_gpu_ || options_.processor == Processor::gpu || !cpu_refusal(patterns_, options_.algorithm).empty()) throw;
    gpu_error_ = error;
    on_gpu_ = false;
    finder_.reset();
}

bool OccurrenceSearch::find(std::string_view text, std::size_t begins, Wanted wanted) {
    found_.kernel_seconds = 0;
    try {
        return finder_->find(text, begins, wanted, found_);
    } catch (const std::runtime_error& error) {
        use_cpu_instead(error.what());
    }
    finder_ = make_occurrence_finder(patterns_, options_.algorithm, threads_, text.substr(0, sample_bytes));
    return finder_->find(text, begins, wanted, found_);
}

}  // namespace sluice::substrings
