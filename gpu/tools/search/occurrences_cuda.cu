#include <algorithm>
#include <optional>

#include "gpu/tools/search/filter_cuda.cuh"
#include "gpu/tools/search/occurrences.hpp"
#include "gpu/tools/search/rabin_karp_cuda.cuh"

namespace sluice::substrings {

namespace {

constexpr std::size_t list_size_first = std::size_t{1} << 20;

// Uses the current device of the thread that makes it.
class CudaOccurrenceFinder : public OccurrenceFinder {
public:
    CudaOccurrenceFinder(std::span<const Pattern> patterns, Algorithm kernel, std::string_view sample,
                         std::size_t text_bytes)
        : pool_(patterns),
          kernel_(kernel),
          tally_(1),
          staged_tally_(1),
          list_(list_size_first),
          staged_list_(list_size_first),
          begin_(cudaEventDefault),
          end_(cudaEventDefault) {
        if (kernel == Algorithm::filter)
            filter_.emplace(pool_, std::span(&sample, 1));
        else
            rabin_karp_.emplace(pool_);
        reserve(text_bytes);
    }

    bool find(std::string_view text, std::size_t begins, Wanted wanted, FoundOccurrences& found) override {
        found.list.clear();
        found.kernel_seconds = 0;
        reserve(text.size());
        batch_.upload(std::span(&text, 1), stream_);
        const bool lists = wanted != Wanted::number;
        for (;;) {
            const Tally tally = run(static_cast<std::uint32_t>(begins), lists, found.kernel_seconds);
            found.number = tally.occurrences;
            if (!lists) return true;
            if (tally.occurrences > occurrences_max) return false;
            if (tally.occurrences <= list_.size()) break;
            const std::size_t enough = std::min<std::size_t>(2 * tally.occurrences, occurrences_max);
            staged_list_.reserve(enough);  // first: the list on the device is never longer
            list_.reserve(enough);
        }
        copy_list(wanted, found);
        return true;
    }

private:
    void reserve(std::size_t text_bytes) {
        batch_.reserve(1, text_bytes);
        if (rabin_karp_ && text_bytes > 0) rabin_karp_->reserve(static_cast<std::uint32_t>(text_bytes));
    }

    // Searches the uploaded text. Adds the kernels' time to `seconds`.
    Tally run(std::uint32_t begins, bool lists, double& seconds) {
        cuda::check(cudaMemsetAsync(tally_.data(), 0, tally_.bytes(), stream_), "clear tally");
        const Occurrences output{lists ? list_.data() : nullptr, static_cast<std::uint32_t>(list_.size()), begins,
                                 tally_.data()};
        begin_.record(stream_);
        launch(output);
        end_.record(stream_);
        cuda::copy_to_host(std::span(staged_tally_.data(), 1), tally_.data(), stream_);
        stream_.wait();
        float milliseconds = 0;
        cuda::check(cudaEventElapsedTime(&milliseconds, begin_, end_), "cudaEventElapsedTime");
        seconds += milliseconds / 1000.0;
        return staged_tally_[0];
    }

    void launch(const Occurrences& output) const {
        switch (kernel_) {
            case Algorithm::filter:
                return filter_->enqueue(batch_.view(), output, stream_);
            case Algorithm::prefix_sums:
                return rabin_karp_->enqueue(batch_.view(), output, stream_);
            case Algorithm::plain:
                return rabin_karp_->enqueue_plain(batch_.view(), output, stream_);
        }
    }

    void copy_list(Wanted wanted, FoundOccurrences& found) {
        const std::span<unsigned long long> list(staged_list_.data(), found.number);
        cuda::copy_to_host(list, list_.data(), stream_);
        stream_.wait();
        if (wanted == Wanted::ascending) std::sort(list.begin(), list.end());
        found.list.reserve(list.size());
        for (const unsigned long long key : list)
            found.list.push_back({static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key >> 32)});
    }

    PatternPool pool_;
    Algorithm kernel_;
    std::optional<CudaFilter> filter_;
    std::optional<CudaRabinKarp> rabin_karp_;
    DeviceBatch batch_;
    cuda::DeviceBuffer<Tally> tally_;
    cuda::PinnedBuffer<Tally> staged_tally_;
    cuda::DeviceBuffer<unsigned long long> list_;
    cuda::PinnedBuffer<unsigned long long> staged_list_;
    cuda::Stream stream_;
    cuda::Event begin_, end_;
};

}  // namespace

std::unique_ptr<OccurrenceFinder> make_cuda_occurrence_finder(std::span<const Pattern> patterns, Algorithm kernel,
                                                              std::string_view sample, std::size_t text_bytes) {
    return std::make_unique<CudaOccurrenceFinder>(patterns, kernel, sample, text_bytes);
}

}  // namespace sluice::substrings
