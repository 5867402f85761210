#include "gpu/tools/distance/all_pairs.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>

#include "gpu/operators/edits/characters.hpp"
#include "gpu/simd/on_threads.hpp"
#include "gpu/tools/distance/asm.hpp"
#include "gpu/tools/distance/cpu_sets.hpp"
#include "gpu/tools/distance/gpu_sets.hpp"

namespace sluice::edits {

namespace {

constexpr std::string_view method_names[] = {"bit-parallel", "dynamic program", "o-asm", "w-scan", "w-shuffle"};

bool is_published(Method method) { return method >= Method::o_asm; }

AsmAlgorithm published(Method method) {
    return static_cast<AsmAlgorithm>(static_cast<int>(method) - static_cast<int>(Method::o_asm));
}

Method method_of(Algorithm algorithm, const Costs& costs, bool on_gpu) {
    switch (algorithm) {
        case Algorithm::o_asm:
            return Method::o_asm;
        case Algorithm::w_scan:
            return Method::w_scan;
        case Algorithm::w_shuffle:
            return Method::w_shuffle;
        case Algorithm::automatic:
            if (!costs.unit() && on_gpu) return Method::w_shuffle;
            break;
        case Algorithm::bit_parallel:
            break;
    }
    return costs.unit() ? Method::bit_parallel : Method::dynamic_program;
}

// The plan for one processor; its error says why it can't do the work.
Plan plan_for(bool on_gpu, std::span<const std::size_t> lengths, const Costs& costs, const AllPairsOptions& options) {
    Plan plan;
    plan.on_gpu = on_gpu;
    plan.method = method_of(options.algorithm, costs, on_gpu);
    if (on_gpu && options.extent == Extent::whole && !costs.unit()) {
        plan.error = "on a GPU, whole texts are compared at unit costs only";
        return plan;
    }
    if (is_published(plan.method) && options.extent == Extent::whole) {
        plan.error = std::string(method_name(plan.method)) + " compares substrings, not whole texts";
        return plan;
    }
    if (on_gpu && plan.method == Method::dynamic_program) {
        plan.error = "on a GPU, bit-parallel takes unit costs only; w-shuffle takes any";
        return plan;
    }
    if (on_gpu && plan.method == Method::bit_parallel && options.parts > 0) {
        plan.error = "on a GPU, bit-parallel chooses the parts of a text itself";
        return plan;
    }
    const std::size_t longest = lengths.empty() ? 0 : *std::ranges::max_element(lengths);
    const bool is_free = options.algorithm == Algorithm::automatic && plan.method == Method::w_shuffle;
    if (is_free && longest * costs.deletion() > shuffle_distance_max) plan.method = Method::w_scan;
    for (std::size_t p = 0; is_published(plan.method) && p < lengths.size(); ++p) {
        plan.error = asm_refusal(lengths[p], costs, published(plan.method), on_gpu);
        if (plan.error.empty()) continue;
        plan.pattern = p;
        return plan;
    }
    return plan;
}

}  // namespace

std::string_view method_name(Method method) { return method_names[static_cast<std::size_t>(method)]; }

Plan AllPairs::plan(std::span<const std::size_t> lengths, const Costs& costs, const AllPairsOptions& options,
                    bool has_gpu) {
    if (options.processor != Processor::automatic)
        return plan_for(options.processor == Processor::gpu, lengths, costs, options);
    if (has_gpu) {
        Plan plan = plan_for(true, lengths, costs, options);
        const double start =
            plan.method == Method::bit_parallel ? gpu_start_cells_bit_parallel : gpu_start_cells_others;
        if (plan.error.empty() && options.cells_expected >= start) return plan;
    }
    return plan_for(false, lengths, costs, options);
}

struct AllPairs::Content {
    std::vector<std::string_view> patterns;
    Costs costs;
    AllPairsOptions options;
    std::vector<std::size_t> lengths;
    std::optional<CpuSets> cpu;
    std::optional<GpuSets> gpu;
    Work work;

    // Prepares, and then measures the time of the matching alone. Returns whether it was completed.
    bool run(std::span<const std::string_view> texts, std::span<std::uint32_t> distances, const Watch& watch) {
        prepare();
        using Clock = std::chrono::steady_clock;
        const auto begin = Clock::now();
        const bool completed = run_prepared(texts, distances, watch);
        work.seconds += std::chrono::duration<double>(Clock::now() - begin).count();
        return completed;
    }

    void prepare() {
        const bool has_sets = !is_published(work.plan.method);
        if (!work.plan.on_gpu) {
            if (has_sets && !cpu) cpu.emplace(patterns, costs, options);
            return;
        }
        if (const std::string why = why_no_gpu(); !why.empty()) throw std::runtime_error(why);
        if constexpr (cuda::is_built) {
            start_gpu();
            if (has_sets && !gpu) gpu.emplace(patterns, options);
        }
    }

    bool run_prepared(std::span<const std::string_view> texts, std::span<std::uint32_t> distances, const Watch& watch) {
        if (is_published(work.plan.method)) return run_published(texts, distances, watch);
        if constexpr (cuda::is_built) {
            if (work.plan.on_gpu) return gpu->match(texts, distances, watch);
        }
        const bool completed = cpu->match(texts, distances, watch);
        work.parts = std::max(work.parts, cpu->parts());
        return completed;
    }

    bool run_published(std::span<const std::string_view> texts, std::span<std::uint32_t> distances,
                       const Watch& watch) {
        const AsmOptions how{published(work.plan.method), work.plan.on_gpu, options.parts, options.threads, watch};
        const AsmResult result = asm_distance(patterns, texts, costs, how, distances);
        if (!result.error.empty()) throw std::runtime_error(result.error);
        work.parts = std::max(work.parts, result.parts);
        work.kernel_seconds += result.kernel_seconds;
        return !result.stopped;
    }

    // After a failure of the GPU.
    void use_cpu(const char* why) {
        gpu.reset();
        work.gpu_error = why;
        work.kernel_seconds = 0;
        work.plan = plan_for(false, lengths, costs, options);
    }
};

AllPairs::AllPairs(std::span<const std::string_view> patterns, const Costs& costs, const AllPairsOptions& options,
                   const Plan& plan)
    : content_(new Content{{patterns.begin(), patterns.end()}, costs, options, {}, {}, {}, {}}) {
    for (const std::string_view pattern : patterns) content_->lengths.push_back(characters(pattern).size());
    content_->work.plan = plan;
    content_->work.threads = simd::thread_count(options.threads);
}
AllPairs::AllPairs(AllPairs&&) noexcept = default;
AllPairs::~AllPairs() = default;

bool AllPairs::match(std::span<const std::string_view> texts, std::span<std::uint32_t> distances, const Watch& watch) {
    try {
        return content_->run(texts, distances, watch);
    } catch (const std::runtime_error& error) {
        if (!content_->work.plan.on_gpu || content_->options.processor == Processor::gpu) throw;
        content_->use_cpu(error.what());
        return content_->run(texts, distances, watch);
    }
}

const AllPairs::Work& AllPairs::work() const { return content_->work; }

}  // namespace sluice::edits
