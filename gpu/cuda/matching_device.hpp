// One GPU as the backend uses it: its memory, the copies of segments in it, and the slots of the batches under way.
// Opened when first needed, since that may fail and be retried. Any thread; errors are CudaErrors.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpu/cuda/access_tables.hpp"
#include "gpu/cuda/batch_slot.hpp"
#include "gpu/device/device_health.hpp"

namespace sluice::cuda {

// A segment's copy. It is dropped before the segment if the device is lost.
class SegmentCopy {
public:
    explicit SegmentCopy(std::shared_ptr<const SegmentTables> tables) : tables_(std::move(tables)) {}

    std::shared_ptr<const SegmentTables> tables() const {  // or null
        const std::lock_guard lock(mutex_);
        return tables_;
    }
    void drop() {
        const std::lock_guard lock(mutex_);
        tables_.reset();
    }

private:
    mutable std::mutex mutex_;
    std::shared_ptr<const SegmentTables> tables_;
};

// The matching devices of one number in the process share its context. So they lose it together, and it can be renewed
// only when each of them has released what it has there.
class MatchingDevice : public std::enable_shared_from_this<MatchingDevice> {
public:
    static constexpr std::size_t slots_max = 32;  // batches under way; further batches wait for a slot
    // After a slot found no memory, the time during which batches wait for one of the others instead of making one.
    static constexpr std::chrono::seconds no_slots_made{1};
    static constexpr std::chrono::seconds memory_measured_every{1};

    MatchingDevice(int number, std::size_t bytes_max);
    MatchingDevice(const MatchingDevice&) = delete;
    ~MatchingDevice();

    // Does nothing if already open.
    void open();
    std::shared_ptr<const SegmentCopy> copy(const cpu::Segment& segment);
    // The number of losses of the context. Failures of work begun in an earlier generation say nothing about the device
    // now.
    std::uint32_t generation() const { return shared_.losses; }
    // Marks all matching devices of this number as lost, and calls their on_loss functions. Does nothing if the work
    // that has failed was begun in an earlier generation.
    void lose(std::uint32_t generation, std::string_view what) noexcept;
    // Marks this one as lost again, after a revival that has failed.
    void stays_lost(std::string_view what) noexcept;
    // After a loss: releases everything on the device, the copies included, and opens it anew. Throws CudaError if that
    // fails or batches are still under way; it may be retried then.
    void revive();
    // Ends the loss after a revival that was begun in this generation.
    void revived(std::uint32_t generation) noexcept;
    // Called by the thread that meets a loss; must not throw. After the call with null it is neither called nor
    // running.
    void set_on_loss(std::function<void()> on_loss);

    // Owns a slot with a batch until destroyed; meanwhile the thread's waits have a limit. The destructor waits for
    // work still under way in the slot, and gives the slot up if that does not end in time.
    class Lease {
    public:
        // Begins the batch (BatchSlot::begin). If the device lacks memory for a slot, waits for another one. Throws
        // CudaError, or BeyondLimit, also if the device is lost or no slot becomes free in time.
        Lease(MatchingDevice& device, const engine::EventBatch& batch, std::span<const SegmentTables* const> segments,
              const BatchLimits& limits);
        Lease(const Lease&) = delete;
        ~Lease();
        BatchSlot& operator*() { return *slot_; }
        BatchSlot* operator->() { return slot_.get(); }

    private:
        explicit Lease(MatchingDevice& device);
        void take();
        bool give_up_for_lack_of_memory();

        const LimitedWaits limited_;
        MatchingDevice& device_;
        std::unique_ptr<BatchSlot> slot_;
    };
    std::size_t under_way() const { return under_way_.load(std::memory_order_relaxed); }

    // Makes this the calling thread's current device.
    void use() const;
    int number() const { return number_; }
    std::string name() const;
    std::size_t bytes() const { return memory_.bytes(); }
    MemoryPool& memory() { return memory_; }
    // The device's memory, and how much of it all processes use, in bytes, as last measured; 0 if it has not been, or
    // if the driver failed. Measured while the device is in use, since a status query must neither make a context nor
    // wait for the driver, which a hung kernel can hold up.
    struct MemoryUse {
        std::size_t total = 0, used = 0;
    };
    MemoryUse memory_use() const;
    // Measures it, at most once a second. The device must be open and the calling thread's current one.
    void measure_memory_if_due() noexcept;

    DeviceHealth matching, copying, operating;  // `operating`: for operators (operator_devices.hpp)
    std::atomic<std::size_t> copies = 0;
    std::atomic<std::uint64_t> batches = 0, events = 0;
    void sample(double seconds, std::size_t events);
    struct Sample {
        double seconds = 0;
        std::uint64_t events = 0;
    };
    Sample sampled() const;

private:
    // The matching devices of a number. Never destroyed.
    struct Shared {
        std::mutex mutex;  // guards the list, and the devices' losses and revivals
        std::vector<MatchingDevice*> devices;
        std::atomic<std::uint32_t> losses = 0;
    };
    static Shared& shared_by(int number);

    void release();
    void measure_memory() noexcept;
    // Null if the caller may make a slot, which is counted already.
    std::unique_ptr<BatchSlot> take_slot();
    // Returns the number of slots that are left.
    std::size_t forget_slot(bool lacks_memory) noexcept;

    const int number_;
    Shared& shared_;
    std::function<void()> on_loss_;  // guarded by shared_.mutex

    MemoryPool memory_;

    std::mutex opening_;  // may be held for seconds; status queries do not wait for it
    bool open_ = false;

    mutable std::mutex mutex_;  // guards the following members
    std::condition_variable free_;
    std::string name_;
    std::vector<std::unique_ptr<BatchSlot>> slots_;
    std::size_t slots_made_ = 0;
    DeviceHealth::Clock::time_point more_slots_at_{};
    std::vector<std::weak_ptr<SegmentCopy>> made_;
    Sample sample_;
    MemoryUse memory_use_;

    std::mutex uploading_;
    std::unique_ptr<Uploader> uploader_;
    std::atomic<std::size_t> under_way_ = 0;
    std::atomic<DeviceHealth::Clock::time_point> memory_due_{};  // the next measurement
};

}  // namespace sluice::cuda
