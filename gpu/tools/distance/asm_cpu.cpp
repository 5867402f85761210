#include <algorithm>
#include <array>
#include <atomic>
#include <stdexcept>

#include "gpu/operators/edits/characters.hpp"
#include "gpu/operators/edits/parts.hpp"
#include "gpu/simd/instruction_set.hpp"
#include "gpu/simd/on_threads.hpp"
#include "gpu/tools/distance/asm.hpp"
#include "gpu/tools/distance/asm_lanes.hpp"
#include "gpu/tools/distance/pieces.hpp"

namespace sluice::edits {

namespace {

constexpr std::string_view asm_names[] = {"o-asm", "w-scan", "w-shuffle"};

// Characters, and their kinds if costs are not unit.
struct Coded {
    std::u32string codes;
    std::vector<std::uint8_t> kinds;

    Coded(std::u32string given, const Costs& costs) {
        codes.swap(given);  // moved, GCC 12 takes it for uninitialised
        if (costs.unit()) return;
        kinds.reserve(codes.size());
        for (const char32_t c : codes) kinds.push_back(static_cast<std::uint8_t>(costs.kind(c)));
    }
};

// Backwards, with margins, as AsmJob wants it.
Coded backwards(std::string_view utf8, const Costs& costs) {
    std::u32string codes(asm_margin, U'\0');
    codes += characters(utf8);
    std::reverse(codes.begin() + asm_margin, codes.end());
    codes.append(asm_margin, U'\0');
    return Coded(std::move(codes), costs);
}

using AsmFunction = std::uint32_t (*)(const AsmJob&);
AsmFunction asm_function(AsmAlgorithm algorithm) {
    const auto set = simd::best_instruction_set();
    if (algorithm == AsmAlgorithm::o_asm) return SLUICE_KERNEL(set, o_asm);
    return algorithm == AsmAlgorithm::w_scan ? SLUICE_KERNEL(set, w_scan) : SLUICE_KERNEL(set, w_shuffle);
}

// The number of parts for so many threads, if all texts together have `total` characters. Shorter parts than four times
// the overlap would cost more than they save.
std::uint64_t parts_for_threads(std::uint64_t n, std::uint64_t total, std::uint64_t overlap, unsigned threads) {
    if (threads == 1 || n == 0) return 1;
    constexpr std::uint64_t rounds = 4;  // of parts per thread, so that the threads end together
    const std::uint64_t share = std::max<std::uint64_t>(1, rounds * threads * n / total);
    return std::clamp<std::uint64_t>(n / std::max<std::uint64_t>(4 * overlap, 1), 1, share);
}

struct PieceOfText {
    std::size_t text;
    Part part;
};

// The whole call: what the tasks share.
class CpuCall {
public:
    CpuCall(std::span<const std::string_view> patterns, std::span<const std::string_view> texts, const Costs& costs,
            const AsmOptions& options)
        : costs_(costs), run_(asm_function(options.algorithm)) {
        std::uint64_t longest = 0, total = 0;
        for (const std::string_view pattern : patterns) {
            patterns_.emplace_back(characters(pattern), costs);
            longest = std::max<std::uint64_t>(longest, patterns_.back().codes.size());
        }
        for (const std::string_view text : texts)
            total += texts_.emplace_back(backwards(text, costs)).codes.size() - 2 * asm_margin;
        for (unsigned x = 0; x < Costs::kinds_max; ++x) {
            for (unsigned y = 0; y < Costs::kinds_max; ++y)
                substitution_[x * Costs::kinds_max + y] = static_cast<std::int32_t>(costs.substitution_of_kinds(x, y));
        }
        const std::uint64_t overlap = costs.longest_substring(longest);
        const unsigned threads = simd::thread_count(options.threads);
        for (std::size_t t = 0; t < texts_.size(); ++t) {
            const std::uint64_t n = length(t);
            const auto wanted = options.parts > 0 ? options.parts : parts_for_threads(n, total, overlap, threads);
            const auto parts = cut_text(n, overlap, wanted);
            most_parts_ = std::max<std::uint64_t>(most_parts_, parts.size());
            for (const Part& part : parts) pieces_.push_back({t, part});
        }
    }
    std::uint64_t most_parts() const { return most_parts_; }
    std::size_t tasks() const { return pieces_.size() * patterns_.size(); }

    void run(std::size_t task, const std::atomic<bool>& stop, std::span<std::uint32_t> distances) const {
        const auto& [t, part] = pieces_[task / patterns_.size()];
        const std::size_t p = task % patterns_.size();
        const Coded &x = patterns_[p], &y = texts_[t];
        std::uint32_t& least = distances[t * patterns_.size() + p];
        if (x.codes.empty()) return lower(least, 0);
        const std::size_t begin = asm_margin + length(t) - part.begin - part.length;
        const bool unit = costs_.unit();
        lower(least,
              run_({x.codes.data(), y.codes.data() + begin, x.codes.size(), part.length,
                    unit ? nullptr : x.kinds.data(), unit ? nullptr : y.kinds.data() + begin, substitution_.data(),
                    unit, static_cast<int>(costs_.deletion()), static_cast<int>(costs_.insertion()), stop}));
    }

private:
    std::size_t length(std::size_t text) const { return texts_[text].codes.size() - 2 * asm_margin; }

    const Costs& costs_;
    AsmFunction run_;
    std::vector<Coded> patterns_, texts_;
    std::vector<PieceOfText> pieces_;
    std::uint64_t most_parts_ = 1;
    std::array<std::int32_t, std::size_t{Costs::kinds_max} * Costs::kinds_max> substitution_;
};

}  // namespace

std::string_view asm_name(AsmAlgorithm algorithm) { return asm_names[static_cast<std::size_t>(algorithm)]; }

std::string asm_refusal(std::uint64_t m, const Costs& costs, AsmAlgorithm algorithm, bool on_gpu) {
    const std::string name(asm_name(algorithm));
    if (m > asm_pattern_max)
        return "the pattern has " + std::to_string(m) + " characters; " + name + " takes at most " +
               std::to_string(asm_pattern_max);
    if (on_gpu && algorithm == AsmAlgorithm::w_shuffle && m * costs.deletion() > shuffle_distance_max)
        return "deleting all " + std::to_string(m) + " characters of the pattern costs " +
               std::to_string(m * costs.deletion()) + "; w-shuffle on a GPU takes at most " +
               std::to_string(shuffle_distance_max);
    return "";
}

AsmResult asm_distance_on_cpu(std::span<const std::string_view> patterns, std::span<const std::string_view> texts,
                              const Costs& costs, const AsmOptions& options, std::span<std::uint32_t> distances) {
    std::ranges::fill(distances, ~0u);
    const CpuCall call(patterns, texts, costs, options);
    AsmResult result;
    result.parts = call.most_parts();
    result.stopped =
        !simd::run_tasks(call.tasks(), simd::thread_count(options.threads), options.watch,
                         [&](std::size_t task, const std::atomic<bool>& stop) { call.run(task, stop, distances); });
    return result;
}

AsmResult asm_distance(std::span<const std::string_view> patterns, std::span<const std::string_view> texts,
                       const Costs& costs, const AsmOptions& options, std::span<std::uint32_t> distances) {
    for (const std::string_view pattern : patterns) {
        const auto why = asm_refusal(characters(pattern).size(), costs, options.algorithm, options.on_gpu);
        if (!why.empty()) throw std::invalid_argument(why);
    }
    if (!options.on_gpu) return asm_distance_on_cpu(patterns, texts, costs, options, distances);
    AsmResult result;
    result.error = cuda::why_no_gpu();
    if constexpr (cuda::is_built) {
        if (result.error.empty()) return asm_distance_on_gpu(patterns, texts, costs, options, distances);
    }
    return result;
}

}  // namespace sluice::edits
