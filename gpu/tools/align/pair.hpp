// Aligns one pair of sequences on the processor that suits it, for tools: score, end points, statistics and, if wanted,
// the alignment. Pure functions; any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gpu/device/processor.hpp"
#include "gpu/operators/alignment/scheme/reference.hpp"
#include "gpu/operators/alignment/trace.hpp"

namespace sluice::alignment {

using cuda::Processor;

struct PairOptions {
    Mode mode = Mode::local;
    Processor processor = Processor::automatic;
    bool prune = true;               // of long local pairs: skip parts that can't hold the best score
    unsigned threads = 0;            // on the CPU, for long pairs of DNA; 0: as many as the processor has
    std::vector<int> devices = {0};  // GPUs by CUDA's numbers; several share a text of 100,000 letters
    bool trace = false;
    // Called occasionally, on the calling thread, with the share of the work done, from 0 to 1.
    std::function<void(double share)> progress;
};

struct PairResult {
    std::string error;  // if empty, the rest is valid
    EndPoint end;
    std::optional<Alignment> alignment;
    bool on_gpu = false;
    unsigned threads = 1;   // the number that took part, on the CPU
    std::size_t gpus = 1;   // likewise, on GPUs
    std::string gpu_error;  // why the CPU did a GPU's work (Processor::automatic)
    double pruned_share = 0;
    double score_seconds = 0, trace_seconds = 0;
};

// Errors: sequences that are too long, a requested GPU that is missing or fails, lack of memory.
PairResult align_pair(const Scheme& scheme, Codes query, Codes text, const PairOptions& options);

// The device's part, in builds with CUDA: the score and end point found there, or an error.
void score_pair_on_device(const Scheme& scheme, Codes query, Codes text, const PairOptions& options,
                          PairResult& result);

}  // namespace sluice::alignment
