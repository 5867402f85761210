// All occurrences of many patterns in a text of any length that arrives in pieces, with any algorithm of this folder,
// on either processor. The caller passes pieces that overlap by the longest pattern minus one byte; memory is bounded
// whatever the texts and patterns are. An OccurrenceSearch belongs to one thread and starts others as it needs them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/device/processor.hpp"
#include "gpu/tools/search/substrings.hpp"

namespace sluice::substrings {

using cuda::Processor;

// Texts from this size on are searched on a GPU if there is one (Processor::automatic). Starting a GPU takes some
// tenths of a second, in which the CPU's filter searches about this much on one core.
constexpr std::uint64_t gpu_text_bytes_min = std::uint64_t{256} << 20;
// The most occurrences found at a time. More than can begin at one byte, as their lengths differ.
constexpr std::size_t occurrences_max = std::size_t{8} << 20;
static_assert(occurrences_max > pattern_bytes_max);

enum class Wanted : std::uint8_t {
    number,     // of occurrences, without a list
    any_order,  // a list
    ascending,  // a list ordered by position, then by pattern
};

struct FoundOccurrences {
    std::vector<Occurrence> list;
    std::uint64_t number = 0;
    double kernel_seconds = 0;  // on a GPU: the time of its kernels, without copies
};

// One algorithm on one processor. Used by one thread at a time.
class OccurrenceFinder {
public:
    virtual ~OccurrenceFinder() = default;

    // Replaces `found` by the occurrences that begin before text[begins] and end in the text; begins <= text.size() <
    // text_bytes_max. Returns false if a list is wanted and would be longer than occurrences_max; then the content of
    // `found` is undefined.
    virtual bool find(std::string_view text, std::size_t begins, Wanted wanted, FoundOccurrences& found) = 0;
};

struct OccurrenceOptions {
    Algorithm algorithm = Algorithm::filter;
    Processor processor = Processor::automatic;
    unsigned threads = 0;          // on the CPU; 0: as many as the processor has
    std::uint64_t text_bytes = 0;  // of all texts, as far as known: for Processor::automatic
};

// The part of a piece that was searched at a time.
struct OccurrenceBlock {
    std::size_t begin = 0, end = 0;           // occurrences that begin there
    std::span<const Occurrence> occurrences;  // positions are those in the piece; empty for Wanted::number
    std::uint64_t number = 0;
    double seconds = 0;  // for the search, including copies to and from a GPU and the order
    double kernel_seconds = 0;
};

class OccurrenceSearch {
public:
    // Why this can't be searched for so; empty if it can.
    static std::string refusal(std::span<const Pattern> patterns, const OccurrenceOptions& options);

    // The patterns must be distinct, not empty, and not refused; they are copied. Their places do not matter.
    OccurrenceSearch(std::span<const Pattern> patterns, const OccurrenceOptions& options);
    ~OccurrenceSearch();

    bool on_gpu() const { return on_gpu_; }
    unsigned threads() const { return threads_; }                // on the CPU
    const std::string& gpu_error() const { return gpu_error_; }  // why the CPU does a GPU's work (automatic)
    std::size_t piece_bytes() const;                             // as much as keeps the processor busy
    std::size_t overlap_bytes() const { return longest_ - 1; }   // of two pieces

    // Finds the occurrences that begin before text[begins], block by block, and passes each block to `report`, which
    // returns whether to go on. A block takes some 0.05 s. Returns an error, or an empty string. The first call also
    // compiles the patterns and finds out how fast the search is, which no block's time includes.
    std::string search(std::string_view text, std::size_t begins, Wanted wanted,
                       const std::function<bool(const OccurrenceBlock&)>& report);

private:
    void prepare(std::string_view text);
    void calibrate(std::string_view text);
    void use_cpu_instead(const char* error);
    bool find(std::string_view text, std::size_t begins, Wanted wanted);
    std::size_t next_block(std::size_t bytes, double seconds) const;

    OccurrenceOptions options_;
    std::vector<std::string> texts_;
    std::vector<Pattern> patterns_;
    std::size_t longest_ = 1;
    unsigned threads_;
    bool on_gpu_;
    std::string gpu_error_;
    std::unique_ptr<OccurrenceFinder> finder_;
    std::size_t block_bytes_ = 0;
    FoundOccurrences found_;
};

// The CPU's finders. The patterns must be distinct, not empty, and not refused; they are copied. `sample`: as for
// PatternFilter.
std::unique_ptr<OccurrenceFinder> make_occurrence_finder(std::span<const Pattern> patterns, Algorithm algorithm,
                                                         unsigned threads, std::string_view sample = {});

inline bool occurrence_device_available() { return cuda::why_no_gpu().empty(); }

constexpr std::size_t rabin_karp_patterns_max = 32 * 1024;  // on a GPU: half of the table of 65521 slots

// Why a GPU can't take these patterns; empty if it can.
std::string cuda_refusal(std::span<const Pattern> patterns, Algorithm algorithm);

// The GPU's finders, in builds with CUDA only; the patterns as above. `text_bytes`: the longest text for which memory
// is allocated at once. The maker, and the finder it makes, throw cuda::CudaError.
std::unique_ptr<OccurrenceFinder> make_cuda_occurrence_finder(std::span<const Pattern> patterns, Algorithm algorithm,
                                                              std::string_view sample = {}, std::size_t text_bytes = 0);

}  // namespace sluice::substrings
