// The seam of the matching engine: subscriptions in, programs out, matches from batches.
//
// A SubscriptionSet is changed by one thread at a time (the caller serialises). Every compile() gives an immutable
// Program that any number of threads may match with, while the set goes on changing; readers never wait for writers.
// Every backend gives the same matches; the naive one defines them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "gpu/event_batch.hpp"
#include "gpu/predicate.hpp"

namespace sluice {

// A slot is reused after a removal, its generation then differs: a stale id never names a newer subscription. Slots are
// dense, so a caller may keep per-subscription data in a vector.
struct SubscriptionId {
    std::uint32_t slot = 0;
    std::uint32_t generation = 0;

    friend bool operator==(const SubscriptionId&, const SubscriptionId&) = default;
};

// Bit b of `accepted` says that the subscription holds for event 32 * word + b of the batch. Never 0.
struct Match {
    SubscriptionId subscription;
    std::uint32_t word = 0;
    std::uint32_t accepted = 0;

    friend bool operator==(const Match&, const Match&) = default;
};

// Names by id. Ids are dense and stay what they are from one program to the next (the list only grows, until a
// compaction gives a new `epoch`), so that a caller can extend what it keeps per name instead of making it anew.
struct Dictionary {
    std::uint64_t epoch = 0;
    std::vector<std::string> names;
};

class Program {
public:
    virtual ~Program() = default;

    // The attributes that some predicate reads, and the keys of the scanned predicates. Never null. The same pointer as
    // the previous program's where nothing was added.
    virtual const std::shared_ptr<const Dictionary>& attributes() const = 0;
    virtual const std::shared_ptr<const Dictionary>& scanned() const = 0;

    // Appends the matches of the batch to `matches`: at most one per (subscription, word), in no particular order. The
    // batch must have been filled with the attribute ids of this program.
    virtual void match(const EventBatch& batch, std::vector<Match>& matches) const = 0;
};

struct DeviceStatus {
    int device = 0;
    std::string name;          // "NVIDIA H100 80GB HBM3"
    std::string state;         // "not used yet", "ready", "ready, but has no room for 1 segment",
                               // "lost, tried again in 4 s", "copying tried again in 4 s"
    std::size_t bytes = 0;     // of the copies of segments
    std::size_t segments = 0;  // that have a copy there
    std::uint64_t batches = 0, events = 0;
    double sampled_seconds = 0;        // that the device took for a sample of the batches,
    std::uint64_t sampled_events = 0;  // which had so many events
    std::uint64_t faults = 0;
    std::uint64_t operator_batches = 0;  // of operators: a family's pairs of one batch
    std::string last_fault;              // "cudaMalloc of 4096 bytes: cudaErrorMemoryAllocation (out of memory)"
};

// Where one family of operators (gpu/operators) has been evaluated.
struct OperatorStatus {
    std::string family;  // "edits", "recurrence", "alignment"
    std::uint64_t device_batches = 0, cpu_batches = 0;
    std::uint64_t repeated_batches = 0;  // of the latter: after a device had failed
    std::string reason;                  // "2^25 cells: 310 us on a device, 2000 us on the CPU; …"
};

struct EngineStatus {
    std::string backend;  // what was asked for: "naive", "cpu", "cuda" or "auto"
    std::string reason;   // what matches, and why
    std::vector<DeviceStatus> devices;
    std::vector<OperatorStatus> operators;        // that might have used a device
    std::uint64_t cpu_batches = 0;                // that were matched without a GPU where one was asked for,
    std::uint64_t rematched_batches = 0;          // and of those the ones that a GPU failed to match
    std::map<std::string, std::uint64_t> faults;  // by the CUDA error's name
    // How often work that only makes matching cheaper (merging, choosing better access) has failed so far, for lack of
    // memory, say. It is tried again; answers are right meanwhile.
    std::uint64_t background_failures = 0;
};

class SubscriptionSet {
public:
    virtual ~SubscriptionSet() = default;

    virtual SubscriptionId add(const Disjunction& filter) = 0;
    virtual bool remove(SubscriptionId id) = 0;  // false: no such subscription (any more)
    virtual std::size_t size() const = 0;

    // A program that holds every change made before the call. Cheap after a small change, however large the set. What
    // other threads have done for the set meanwhile (merged it, chosen better access to it) takes effect here, too.
    virtual std::shared_ptr<const Program> compile() = 0;

    // What matches, and how it fares. Any thread.
    virtual EngineStatus status() const = 0;
};

// cuda: what is large is matched on GPUs as long as those can; automatic: where the batch costs less, as measured. Both
// give the CPU's answers on machines without a GPU, and where a GPU fails.
enum class Backend : std::uint8_t { naive, cpu, cuda, automatic };

struct EngineOptions {
    EngineOptions(Backend b = Backend::cpu) : backend(b) {}

    Backend backend;
    std::vector<int> devices = {};       // as CUDA numbers them, each holds all that is large; empty: the first
    std::size_t device_bytes_max = 0;    // of each; 0: as much as it has
    std::size_t device_rows_min = 4096;  // what is smaller (subscriptions) stays with the CPU
    // Devices compute operators, too (gpu/operators). A batch's that have fewer cells (of distances, alignments,
    // recurrence) stay with the CPU.
    std::size_t device_cells_min = 1'000'000;
    // Told of each failure of a device, by whichever thread met it.
    std::function<void(const std::string& failure)> on_fault = {};
    // Told of each device that is used again after it was lost.
    std::function<void(const std::string& device)> on_recovery = {};
};

std::unique_ptr<SubscriptionSet> make_subscription_set(const EngineOptions& options);

}  // namespace sluice
