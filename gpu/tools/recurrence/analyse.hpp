// Recurrence quantification of one series on the processor that suits it, for tools: recurrence rate, determinism and
// laminarity, counted or estimated. Pure functions; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "gpu/device/processor.hpp"
#include "gpu/operators/recurrence/evaluate.hpp"

namespace sluice::recurrence {

using sluice::cuda::Processor;
enum class Algorithm : std::uint8_t { automatic, exact, microstates };

// Algorithm::automatic counts series of up to so many values, and estimates longer ones. 2^36 cells take one core of
// 2026 two to five seconds.
constexpr std::size_t counted_points_max = std::size_t{1} << 18;

// Devices count rows in 32 bits.
constexpr std::size_t analysed_points_max = (std::size_t{1} << 31) - 1;

constexpr std::uint64_t windows_max = std::uint64_t{1} << 40;  // so that the sums over windows fit

struct AnalysisOptions {
    LineQuestion question;  // epsilon is finite and above 0; both shortest lines are at least 1
    std::uint32_t theiler = 1;
    Algorithm algorithm = Algorithm::automatic;
    std::uint32_t size = 32;               // of microstates: 2 to 32
    std::optional<std::uint64_t> windows;  // none: until the standard error is below 0.005. Up to windows_max
    std::uint64_t seed = 1;
    Processor processor = Processor::automatic;
    unsigned threads = 0;  // on the CPU; 0: as many as the processor has
    GoOn go_on = {};
};

// Values are NaN if no point recurs.
struct Analysis {
    std::string error;     // if empty, the rest is valid
    bool stopped = false;  // by go_on; the rest is then incomplete
    bool is_exact = true;  // then the standard errors are 0
    Estimate recurrence_rate, determinism, laminarity;
    double froguel_laminarity = 0;  // of microstates (microstates.hpp)
    std::uint64_t windows = 0;
    bool on_gpu = false;
    unsigned threads = 1;   // that took part, on the CPU
    std::string gpu_error;  // why the CPU did a GPU's work (Processor::automatic)
    double seconds = 0;     // without starting the GPU
};

// Errors: a series that is too long or too short, lines that are too long, a requested GPU that is missing or fails,
// lack of memory. The values are finite.
Analysis analyse(std::span<const double> series, const AnalysisOptions& options);

}  // namespace sluice::recurrence
