// The interface of the matching engine: subscriptions in, programs out, matches from batches.
//
// A SubscriptionSet is changed by one thread at a time (the caller serialises). Every compile() returns an immutable
// Program that any number of threads may match with while the set keeps changing; readers never wait for writers. Every
// backend returns the same matches; the naive backend defines them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "gpu/api/event_batch.hpp"
#include "gpu/api/predicate.hpp"

namespace sluice::engine {

// A slot is reused after a removal, with a new generation, so a stale id never names a newer subscription. Slots are
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

// Names by id. Ids are dense and stay the same from one program to the next: the list only grows, until a compaction
// starts a new `epoch`. So a caller can extend its per-name data instead of rebuilding it.
struct Dictionary {
    std::uint64_t epoch = 0;
    std::vector<std::string> names;
    std::vector<std::shared_ptr<const ScannedCondition>> conditions;  // by id, if the names are keys of scanned
                                                                      // predicates; null where one has none
};

class Program {
public:
    virtual ~Program() = default;

    // The attributes that predicates read, and the keys of the scanned predicates. Never null. The same pointer as the
    // previous program's if nothing was added.
    virtual const std::shared_ptr<const Dictionary>& attributes() const = 0;
    virtual const std::shared_ptr<const Dictionary>& scanned() const = 0;

    // Appends the matches of the batch to `matches`: at most one per (subscription, word), in no particular order. The
    // batch must use the attribute ids of this program.
    virtual void match(const EventBatch& batch, std::vector<Match>& matches) const = 0;
};

struct DeviceStatus {
    int device = 0;
    std::string name;       // "NVIDIA H100 80GB HBM3"
    std::string state;      // "not used yet", "ready", "ready, but has no room for 1 segment",
                            // "lost, retry in 4 s", "copying retry in 4 s"
    std::size_t bytes = 0;  // of the segments' copies
    // The device's memory, and how much of it all processes use, in bytes: as of the last second in which the engine
    // used the device. 0 if it has not been used yet, or if the driver failed to tell.
    std::size_t memory_total = 0, memory_used = 0;
    std::size_t segments = 0;  // with a copy on this device
    std::uint64_t batches = 0, events = 0;
    // Bytes that the process has moved between the host and the device, for all sets: copied, or read and written by
    // the device in the host's memory.
    std::uint64_t bytes_to_device = 0, bytes_to_host = 0;
    double sampled_seconds = 0;        // device time for a sample of the batches,
    std::uint64_t sampled_events = 0;  // and the number of events in that sample
    std::uint64_t faults = 0;
    std::uint64_t operator_batches = 0;  // operator batches: the pairs of one family in one batch
    std::string last_fault;              // "cudaMalloc of 4096 bytes: cudaErrorMemoryAllocation (out of memory)"
};

// Where the predicates of one operator family (gpu/operators) were evaluated.
struct OperatorStatus {
    std::string family;  // "edits", "recurrence", "alignment"
    std::uint64_t device_batches = 0, cpu_batches = 0;
    std::uint64_t repeated_batches = 0;  // of cpu_batches, those repeated after a device failed
    std::string reason;                  // "2^25 cells: 310 us on a device, 2000 us on the CPU; …"
};

struct EngineStatus {
    std::string backend;  // the configured backend: "naive", "cpu", "cuda" or "auto"
    std::string reason;   // which processor matches, and why
    std::vector<DeviceStatus> devices;
    std::vector<OperatorStatus> operators;  // those that can use a device
    std::uint64_t cpu_batches = 0;          // matched without a GPU although one was configured,
    std::uint64_t rematched_batches = 0;    // and of those, the ones that a GPU failed to match, or found too large
    std::map<std::string, std::uint64_t> faults;  // by the CUDA error's name
    // How often optional background work (merging, choosing better access literals) has failed so far, for example for
    // lack of memory. It is retried; matches are correct meanwhile.
    std::uint64_t background_failures = 0;
};

// What can't be held, with the limit's name (gpu/tables/limits.hpp): "a filter has 70 number_equal predicates; a
// segment holds at most 64".
class LimitError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

class SubscriptionSet {
public:
    virtual ~SubscriptionSet() = default;

    // If it throws, nothing has changed: std::bad_alloc, LimitError for a filter that the set can't hold, or
    // std::invalid_argument for one with an invalid_reason().
    virtual SubscriptionId add(const Disjunction& filter) = 0;
    virtual bool remove(SubscriptionId id) = 0;  // false: no such subscription. Never fails for lack of memory
    virtual std::size_t size() const = 0;

    // Returns a program that contains every change made before the call. Cheap after a small change, however large the
    // set. Background work that has finished for the set (a merge, better access literals) also takes effect here. If
    // it throws (std::bad_alloc), no change is lost: the next program that is made contains them all.
    virtual std::shared_ptr<const Program> compile() = 0;

    // Estimated bytes of all subscriptions and names, of removed ones until background work has dropped them, and of
    // what background work under way will return. Without what operators keep (gpu/operators/memory.hpp). The naive
    // backend says 0.
    virtual std::size_t memory_bytes() const = 0;
    // Background work that will take about so many bytes more begins only if `ask`, called in compile(), returns true.
    virtual void ask_for_room(std::function<bool(std::size_t bytes)> ask) = 0;

    // The state of the backend and its devices. Any thread.
    virtual EngineStatus status() const = 0;
};

// cuda: large segments are matched on GPUs as long as these work. automatic: each batch is matched where it costs less,
// as measured. Both return the CPU's answers on machines without a GPU and after a GPU fails.
enum class Backend : std::uint8_t { naive, cpu, cuda, automatic };

struct EngineOptions {
    EngineOptions(Backend b = Backend::cpu) : backend(b) {}

    Backend backend;
    std::vector<int> devices = {};       // CUDA device numbers; each holds all large segments; empty: the first device
    std::size_t device_bytes_max = 0;    // per device; 0: no limit
    std::size_t device_rows_min = 4096;  // segments with fewer subscriptions stay on the CPU
    // Devices also evaluate operators (gpu/operators). A family's pairs of one batch with fewer cells (of distance,
    // alignment or recurrence matrices) than this stay on the CPU.
    std::size_t device_cells_min = 1'000'000;
    // Called on each failure of a device, by the thread that met it.
    std::function<void(const std::string& failure)> on_fault = {};
    // Called when a lost device is used again.
    std::function<void(const std::string& device)> on_recovery = {};
};

std::unique_ptr<SubscriptionSet> make_subscription_set(const EngineOptions& options);

}  // namespace sluice::engine
