// One pair of sequences on whichever processor suits, for tools: score, end points, statistics and, if wanted, the
// alignment. Pure functions; any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gpu/operators/alignment/reference.hpp"
#include "gpu/operators/alignment/trace.hpp"

namespace sluice::alignment {

enum class Processor { automatic, cpu, gpu };

struct PairOptions {
    Mode mode = Mode::local;
    Processor processor = Processor::automatic;
    bool prune = true;               // of long local pairs: leave out parts that can't hold the best score
    unsigned threads = 0;            // on the CPU, for long local pairs of DNA; 0: as many as the processor has
    std::vector<int> devices = {0};  // GPUs, as CUDA numbers them; several share a text of 100,000 letters
    bool trace = false;
    // Called now and then with the share of the work that is done, from 0 to 1. On the calling thread.
    std::function<void(double share)> progress;
};

struct PairResult {
    std::string error;  // empty: none, and the rest is valid
    EndPoint end;
    std::optional<Alignment> alignment;
    bool on_gpu = false;
    unsigned threads = 1;   // on the CPU: those that took part
    std::size_t gpus = 1;   // on GPUs: likewise
    std::string gpu_error;  // why the core did what a GPU was to do (Processor::automatic)
    double pruned_share = 0;
    double score_seconds = 0, trace_seconds = 0;
};

// One pair on this core, as reference_align(): striped, in tiles, or by rows, whichever is faster. `progress` as
// rows.hpp says.
EndPoint align_on_core(const Scheme& scheme, Mode mode, Codes query, Codes text, const Progress& progress = {},
                       InstructionSet set = best_instruction_set());

// Errors: sequences that are too long, a GPU that is wanted and not there, memory.
PairResult align_pair(const Scheme& scheme, Codes query, Codes text, const PairOptions& options);

// The device's part: whether there is one, and score and end point there. Without CUDA: no, and an error.
bool pair_device_available();
void score_pair_on_device(const Scheme& scheme, Codes query, Codes text, const PairOptions& options,
                          PairResult& result);

}  // namespace sluice::alignment
