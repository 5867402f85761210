#include <algorithm>
#include <bit>
#include <mutex>
#include <optional>

#include "gpu/operators/substrings/filter_cuda.cuh"
#include "gpu/operators/substrings/rabin_karp_cuda.cuh"
#include "gpu/operators/substrings/substrings_cuda.hpp"

namespace sluice::substrings {

namespace {

constexpr std::uint32_t pairs_room_first = 1 << 14;

// Room on the device for the pairs of a batch. The caller doubles it until they fit.
class PairsRoom {
public:
    PairsRoom() : tally_(1), staged_tally_(1) { reserve(pairs_room_first); }

    void reserve(std::size_t pairs) {
        if (pairs <= list_.size()) return;
        list_ = cuda::DeviceBuffer<unsigned long long>(pairs);
        set_ = cuda::DeviceBuffer<unsigned long long>(std::bit_ceil(2 * pairs));
        staged_list_ = cuda::PinnedBuffer<unsigned long long>(pairs);
    }
    std::size_t room() const { return list_.size(); }
    Pairs cleared(cudaStream_t stream) const {
        cuda::check(cudaMemsetAsync(set_.data(), 0, set_.bytes(), stream), "clear pairs");
        cuda::check(cudaMemsetAsync(tally_.data(), 0, tally_.bytes(), stream), "clear tally");
        return {set_.data(), static_cast<std::uint32_t>(set_.size() - 1), list_.data(),
                static_cast<std::uint32_t>(list_.size()), tally_.data()};
    }
    Tally tally(const cuda::Stream& stream) const {
        cuda::copy_to_host(std::span(staged_tally_.data(), 1), tally_.data(), stream);
        stream.wait();
        return staged_tally_[0];
    }
    std::span<const unsigned long long> pairs(std::size_t count, const cuda::Stream& stream) const {
        cuda::copy_to_host(std::span(staged_list_.data(), count), list_.data(), stream);
        stream.wait();
        return {staged_list_.data(), count};
    }

private:
    cuda::DeviceBuffer<unsigned long long> set_, list_;
    cuda::DeviceBuffer<Tally> tally_;
    cuda::PinnedBuffer<unsigned long long> staged_list_;
    cuda::PinnedBuffer<Tally> staged_tally_;
};

class CudaSearcher : public Searcher {
public:
    CudaSearcher(std::span<const Pattern> patterns, CudaKernel kernel, std::span<const std::string_view> sample,
                 std::uint32_t modulus)
        : pool_(patterns), kernel_(kernel) {
        if (kernel == CudaKernel::filter)
            filter_.emplace(pool_, sample);
        else
            rabin_karp_.emplace(pool_, modulus);
    }

    void search(std::span<const std::string_view> texts, Results& results) const override {
        const std::lock_guard lock(mutex_);
        std::size_t first = 0, bytes = 0;
        for (std::size_t t = 0; t < texts.size(); ++t) {
            if (bytes > 0 && bytes + texts[t].size() > cuda_batch_bytes_max) {
                search_batch(texts.subspan(first, t - first), static_cast<std::uint32_t>(first), results);
                first = t;
                bytes = 0;
            }
            bytes += texts[t].size();
        }
        if (first < texts.size()) search_batch(texts.subspan(first), static_cast<std::uint32_t>(first), results);
    }

private:
    void search_batch(std::span<const std::string_view> texts, std::uint32_t first, Results& results) const {
        batch_.upload(texts, stream_);
        const BatchView view = batch_.view();
        if (rabin_karp_ && view.bytes > 0) rabin_karp_->reserve(view.bytes);
        Tally tally{};
        for (;; room_.reserve(2 * room_.room())) {
            launch(view, room_.cleared(stream_));
            tally = room_.tally(stream_);
            if (tally.overflow == 0) break;
        }
        for (const unsigned long long pair : room_.pairs(tally.pairs, stream_))
            results.hits.push_back({first + static_cast<std::uint32_t>(pair >> 32), static_cast<std::uint32_t>(pair)});
        for (std::uint32_t t = 0; t < texts.size(); ++t) {
            for (const std::uint32_t p : pool_.empty()) results.hits.push_back({first + t, p});
        }
        results.counters += {texts.size(), view.bytes, tally.filter_hits, tally.verified,
                             tally.pairs + texts.size() * pool_.empty().size()};
    }

    void launch(const BatchView& view, const Pairs& pairs) const {
        switch (kernel_) {
            case CudaKernel::filter:
                return filter_->enqueue(view, pairs, stream_);
            case CudaKernel::prefix_sums:
                return rabin_karp_->enqueue(view, pairs, stream_);
            case CudaKernel::plain:
                return rabin_karp_->enqueue_plain(view, pairs, stream_);
        }
    }

    PatternPool pool_;
    CudaKernel kernel_;
    std::optional<CudaFilter> filter_;
    mutable std::mutex mutex_;
    mutable std::optional<CudaRabinKarp> rabin_karp_;
    mutable DeviceBatch batch_;
    mutable PairsRoom room_;
    cuda::Stream stream_;
};

}  // namespace

std::string cuda_refusal(std::span<const Pattern> patterns, CudaKernel kernel) {
    if (std::string reason = refusal(patterns); !reason.empty()) return reason;
    if (kernel == CudaKernel::filter || patterns.size() <= rabin_karp_patterns_max) return {};
    return "the number of patterns, " + std::to_string(patterns.size()) + ", is more than Rabin-Karp's limit of " +
           std::to_string(rabin_karp_patterns_max);
}

std::unique_ptr<Searcher> make_cuda_searcher(std::span<const Pattern> patterns, CudaKernel kernel,
                                             std::span<const std::string_view> sample) {
    return std::make_unique<CudaSearcher>(patterns, kernel, sample, thesis_modulus);
}

std::unique_ptr<Searcher> make_colliding_cuda_searcher(std::span<const Pattern> patterns, CudaKernel kernel) {
    return std::make_unique<CudaSearcher>(patterns, kernel, std::span<const std::string_view>{}, colliding_modulus);
}

}  // namespace sluice::substrings
